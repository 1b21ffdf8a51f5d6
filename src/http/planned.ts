// Endpoints of the interface that are not there yet: 501 after the token was checked.
import { Fault } from "../base/fault.ts";
import type { Param } from "../model/param.ts";
import type { Scope } from "../model/token.ts";
import { type Route, route } from "./route.ts";

type Planned = {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly summary: string;
  readonly scope: Scope | null;
};

const planned: readonly Planned[] = [
  ...([
    ["availability", "/platform/v1/availability", "Availability per bucket"],
    ["issues", "/platform/v1/issues", "Issues"],
    ["issue_history", "/platform/v1/issues/{id}/history", "History of an issue"],
    ["work_orders", "/platform/v1/work-orders", "Work orders"],
    ["alarms", "/platform/v1/alarms", "Alarm occurrences"],
    ["alarm", "/platform/v1/alarms/{occurrence_id}", "An alarm occurrence with its timeline"],
    ["alarm_events", "/platform/v1/alarms/events", "Feed of alarm events"],
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
  {
    name: "jwks",
    method: "GET",
    path: "/webhooks/jwks.json",
    summary: "Public keys of webhook signatures",
    scope: null,
  },
];

/** Every planned endpoint; none reads its parameters or its body. */
export function plannedRoutes(): readonly Route[] {
  return planned.map((endpoint) =>
    route({
      ...endpoint,
      doc: "Planned: answers 501 until it is available.",
      project: endpoint.name === "availability" ? "project_ids" : "project_id",
      params: pathParams(endpoint.path),
      planned: true,
      answer: { kind: "json", schema: {} },
      handle: () => {
        throw new Fault("not_available", `${endpoint.path} is planned and not available yet`);
      },
    })
  );
}

function pathParams(path: string): readonly Param[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => (
    { name, in: "path", kind: "text", required: true, doc: "Identifier." }
  ));
}
