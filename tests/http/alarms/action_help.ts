// A service with two sites of two organizations, users of each, and alarms to act on.
import type { EventDraft, OccurrenceDraft } from "../../../src/model/alarms/alarm.ts";
import { draftOf, eventOf } from "../../help/alarm.ts";
import { type TestService, testService } from "../../help/service.ts";

type Draft = Partial<OccurrenceDraft> & { readonly occurrence_id: string };

type Json = Record<string, unknown>;

const siteOf = (key: string) => ({
  version: 1,
  organization: { key: `o-${key}`, name: "O" },
  project: { key: `p-${key}`, name: "P", timezone: "UTC" },
  site: { key, name: "S", latitude: 40, longitude: -3 },
});

/** Sites `a` and `b`; anna and ben act in `a`, eve in `b`; `machine` is a token of no user. */
export async function openActions() {
  const service = await testService({ at: "2026-06-01T12:00:30Z" });
  const { services } = service;
  const call = callerOf(service);
  for (const key of ["a", "b"]) {
    await call(`/admin/v1/sites/${key}`, siteOf(key), { method: "PUT" });
  }
  const [project, other] = services.catalog.projects;
  const addUser = (organization: string, name: string) =>
    services.users.create({
      organization,
      email: `${name}@plant.test`,
      first_name: name,
      last_name: "X",
    });
  const [anna, ben, eve] = [
    await addUser("o-a", "anna"),
    await addUser("o-a", "ben"),
    await addUser("o-b", "eve"),
  ];
  const tokenOf = async (user_id?: string) =>
    (await services.access.create({
      name: "t",
      organization_id: project.organization_id,
      project_ids: null,
      scopes: ["operate"],
      user_id,
      expires_at: null,
    })).token;
  const actOn = (id: string, action: string, options: Acting = {}) => {
    const { body, as = service.token, project_id = project.id } = options;
    const path = `/platform/v1/alarms/${encodeURIComponent(id)}/${action}`;
    return call(`${path}?project_id=${project_id}`, body, { as });
  };
  return {
    ...service,
    ...{ call, actOn, project, other, anna, ben, eve },
    tokens: {
      anna: await tokenOf(anna.id),
      ben: await tokenOf(ben.id),
      machine: await tokenOf(),
    },
    bulk: (body: unknown, as = service.token) =>
      call(`/platform/v1/alarms/actions?project_id=${project.id}`, body, { as }),
    raise: (...drafts: readonly Draft[]) =>
      services.alarms.write((changes) => {
        for (const draft of drafts) {
          const events: EventDraft[] = [eventOf("raised")];
          changes.raise(draftOf({ resolution_policy: "require_both", ...draft }), events);
        }
        return Promise.resolve();
      }),
    eventsOf: (answer: { readonly data: Json }) =>
      (answer.data.events as Json[]).map(({ type, kind, user_id, body }) =>
        [type, kind, user_id, body] as const
      ),
  };
}

type Calling = { readonly method?: string; readonly as?: string };
type Acting = { readonly body?: unknown; readonly as?: string; readonly project_id?: string };

/** Sends requests with a token, the service's own unless it is said. */
function callerOf(service: TestService) {
  return async (path: string, body?: unknown, options: Calling = {}) => {
    const { method = "POST", as = service.token } = options;
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const type: HeadersInit = text === undefined ? {} : { "content-type": "application/json" };
    const response = await service.fetch(path, {
      method,
      headers: { authorization: `Bearer ${as}`, ...type },
      body: text,
    });
    return { status: response.status, data: await response.json() as Json };
  };
}
