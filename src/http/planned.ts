// Planned endpoints that a site has switched off: 501 after the token was checked.
import { Fault } from "../base/fault.ts";
import { plannedOff } from "../model/setting.ts";
import type { Route } from "./frame/route.ts";

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
