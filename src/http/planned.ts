// Endpoints that are not there yet or switched off: 501 after the token was checked.
import { Fault } from "../base/fault.ts";
import type { Param } from "../model/param.ts";
import { plannedOff } from "../model/setting.ts";
import type { Scope } from "../model/token.ts";
import { type Route, route } from "./route.ts";

type Planned = {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly summary: string;
  readonly scope: Scope;
};

const planned: readonly Planned[] = [
  ...([
    ["issues", "/platform/v1/issues", "Issues"],
    ["issue_history", "/platform/v1/issues/{id}/history", "History of an issue"],
    ["work_orders", "/platform/v1/work-orders", "Work orders"],
  ] as const).map(([name, path, summary]) => (
    { name, method: "GET", path, summary, scope: "read" } as const
  )),
  {
    name: "issue_sync",
    method: "POST",
    path: "/integrations/v1/issues/sync",
    summary: "Update existing issues",
    scope: "sync",
  },
];

/** Every planned endpoint; none reads its parameters or its body. */
export function plannedRoutes(): readonly Route[] {
  return planned.map((endpoint) =>
    route({
      ...endpoint,
      doc: "Planned: answers 501 until it is available.",
      project: "project_id",
      params: pathParams(endpoint.path),
      planned: true,
      answer: { kind: "json", schema: {} },
      handle: () => {
        throw new Fault("not_available", `${endpoint.path} is planned and not available yet`);
      },
    })
  );
}

/** The routes with those of switched-off nouns answering 501; `off` is the setting's text. */
export function switchOff(routes: readonly Route[], off: string): readonly Route[] {
  const nouns = plannedOff(off);
  return routes.map((route) =>
    route.noun === undefined || !nouns.has(route.noun) ? route : {
      ...route,
      doc: `Switched off at this site: answers 501. ${route.doc}`,
      planned: true,
      handle: () => {
        throw new Fault("not_available", `${route.path} is switched off at this site`);
      },
    }
  );
}

function pathParams(path: string): readonly Param[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => (
    { name, in: "path", kind: "text", required: true, doc: "Identifier." }
  ));
}
