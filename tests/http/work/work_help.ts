// A service with plants of two organizations, users of each, and requests on their work.
import { equal } from "node:assert/strict";
import type { OccurrenceDraft } from "../../../src/model/alarms/alarm.ts";
import type { Settings } from "../../../src/model/setting.ts";
import type { Scope } from "../../../src/model/access/token.ts";
import { draftOf, eventOf } from "../../help/alarm.ts";
import { type TestService, testService } from "../../help/service.ts";

/** An answer's data. */
export type Json = Record<string, unknown>;

/** An answer: its status, headers and data. */
export type Answered<T = Json> = {
  readonly status: number;
  readonly headers: Headers;
  readonly data: T;
};

type Draft = Partial<OccurrenceDraft> & { readonly occurrence_id: string };

const siteOf = (key: string) => ({
  version: 1,
  organization: { key: `o-${key}`, name: "O" },
  project: { key: `p-${key}`, name: "P", timezone: "UTC" },
  site: { key, name: "S", latitude: 40, longitude: 0 },
  devices: [
    { key: "T", type: "transformer" },
    { key: "A", name: "INV-A", type: "inverter", parent: "T" },
    { key: "B", name: "INV-B", type: "inverter", parent: "T" },
  ],
  sensors: [
    { tag: "a.p", device: "A", measure: "active_power", capacity: 1000 },
    { tag: "a.p", device: "A", measure: "energy" },
    { tag: "b.p", device: "B", measure: "active_power", capacity: 1000 },
    { tag: "b.t", device: "B", measure: "internal_temp" },
  ],
});

/** Plants `a` and `b`; anna and ben are users of `a`, eve of `b`; each key stands for its token. */
export async function openWork({ settings }: { readonly settings?: Partial<Settings> } = {}) {
  const service = await testService({ at: "2026-06-01T12:00:30Z", settings });
  const { services } = service;
  const { catalog, users, access } = services;
  const send = senderOf(service);
  for (const key of ["a", "b"]) {
    const put = await send("PUT", `/admin/v1/sites/${key}`, { body: siteOf(key) });
    equal(put.status, 200, JSON.stringify(put.data));
  }
  const [project, other] = catalog.projects;
  const addUser = (organization: string, name: string) =>
    users.create({ organization, email: `${name}@x.test`, first_name: name, last_name: "X" });
  const anna = await addUser("o-a", "anna");
  const ben = await addUser("o-a", "ben");
  const eve = await addUser("o-b", "eve");
  const tokenOf = async (scopes: readonly Scope[], user_id?: string) => {
    const { organization_id } = project;
    const rest = { name: "t", project_ids: null, expires_at: null };
    return (await access.create({ ...rest, organization_id, scopes, user_id })).token;
  };
  const deviceOf = (key: string, of = project) =>
    catalog.devices.find((device) =>
      device.key === key && catalog.site(device.site_no)!.project_no === of.project_no
    )!;
  const base = "/platform/v1";
  const at = (path: string, project_id = project.id) =>
    `${base}/${path}${path.includes("?") ? "&" : "?"}project_id=${project_id}`;
  return {
    ...service,
    ...{ send, at, project, other, anna, ben, eve, deviceOf, tokenOf },
    as_anna: await tokenOf(["manage", "read"], anna.id),
    as_machine: await tokenOf(["manage", "read"]),
    get: <T = Json>(path: string, sending?: Sending) => send<T>("GET", at(path), sending),
    post: (path: string, body: unknown, sending?: Sending) =>
      send("POST", at(path), { ...sending, body }),
    patch: (path: string, body: unknown, sending?: Sending) =>
      send("PATCH", at(path), { ...sending, body }),
    remove: (path: string, sending?: Sending) => send("DELETE", at(path), sending),
    /** The rows of an issue's history: what happened, of which field. */
    historyOf: async (id: unknown) => {
      const { data } = await send<Json[]>("GET", at(`issues/${id}/history`));
      return data.map(({ kind, field }) => field === null ? kind : `${kind} ${field}`);
    },
    raise: (...drafts: readonly Draft[]) =>
      services.alarms.write((changes) => {
        for (const draft of drafts) changes.raise(draftOf(draft), [eventOf("raised")]);
        return Promise.resolve();
      }),
  };
}

/** How something is sent: with which token, which body, which further headers. */
export type Sending = {
  readonly body?: unknown;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Sends requests with a token, the service's own unless it is said. */
function senderOf(service: TestService) {
  return async <T = Json>(
    method: string,
    path: string,
    { body, as = service.token, headers = {} }: Sending = {},
  ): Promise<Answered<T>> => {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const type: HeadersInit = text === undefined ? {} : { "content-type": "application/json" };
    const response = await service.fetch(path, {
      method,
      headers: { authorization: `Bearer ${as}`, ...type, ...headers },
      body: text,
    });
    const { status } = response;
    return { status, headers: response.headers, data: await response.json() as T };
  };
}

/** The paths of an answer's flaws. */
export function pathsOf({ data }: Answered): readonly unknown[] {
  return ((data.errors ?? []) as Json[]).map(({ path }) => path);
}
