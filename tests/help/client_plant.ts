// A plant behind a real port for the tests of clients: a month's morning, a rule, a user, a token.
import { equal } from "node:assert/strict";
import { testService } from "./service.ts";

/** Its site file. */
export const client_file = {
  version: 1,
  organization: { key: "org", name: "Org" },
  project: { key: "plant", name: "Plant", timezone: "Europe/Madrid" },
  site: { key: "site", name: "Site", latitude: 37, longitude: -4 },
  devices: [{ key: "INV1", type: "inverter" }],
  sensors: [{ tag: "inv1.p", device: "INV1", measure: "active_power", scale: 1000 }],
  tags: [{ name: "inv1.t", encoding: "float" }],
  rules: [{
    ...{ key: "hot", name: "Hot", kind: "threshold", operator: ">", threshold: 80, deadband: 5 },
    ...{ tag: "inv1.t", severity: "high", resolution_policy: "manual" },
  }],
};

/** The clock stands at this time. */
export const client_now = "2026-06-01T12:00:00Z";

/** The blocks of a language in the page about clients, one after the other. */
export async function guideOf(language: "python" | "ts" | "yaml"): Promise<string> {
  const page = await Deno.readTextFile(new URL("../../docs/clients.md", import.meta.url));
  const blocks = page.matchAll(new RegExp("^```" + language + "\\n(.*?)^```", "gms"));
  return Array.from(blocks, ([, text]) => text).join("\n");
}

/**
 * Serves the plant while `work` runs. `inv1.p` has 812.5 kW each minute from 06:00 to 12:00 UTC.
 * Below `/flaky`, every request is refused once with 503 before it is served.
 */
export async function withClientPlant(
  work: (door: { readonly url: string; readonly token: string }) => Promise<void>,
): Promise<void> {
  const service = await testService({ at: client_now, settings: { visible_after_ms: 0 } });
  const post = async (path: string, body: unknown, method = "POST") => {
    const headers = { "content-type": "application/json" };
    const answer = await service.fetch(path, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    equal(answer.ok, true, text);
    return JSON.parse(text);
  };
  await post("/admin/v1/sites/site", client_file, "PUT");
  const [{ id, organization_id }] = service.services.catalog.projects;
  const rows = Array.from({ length: 361 }, (_, i) => ({
    tag: "inv1.p",
    ts: new Date(Date.parse("2026-06-01T06:00:00Z") + i * 60_000).toISOString(),
    value: 812.5,
  }));
  await post(`/ingest/v1/signals?project_id=${id}`, rows);
  await service.settle();
  const { id: user_id } = await service.services.users.create({
    ...{ organization: "org", email: "anna@plant.test", first_name: "Anna", last_name: "X" },
  });
  const { token } = await service.services.access.create({
    ...{ name: "client", organization_id, project_ids: null, user_id, expires_at: null },
    scopes: ["read", "ingest", "operate", "manage"],
  });
  const refused = new Set<string>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const url = new URL(request.url);
    if (!url.pathname.startsWith("/flaky")) return service.answer(request);
    url.pathname = url.pathname.slice("/flaky".length);
    const key = `${request.method} ${url}`;
    if (refused.has(key)) return service.answer(new Request(url, request));
    refused.add(key);
    return new Response(null, { status: 503, headers: { "retry-after": "0" } });
  });
  try {
    await work({ url: `http://127.0.0.1:${server.addr.port}`, token });
  } finally {
    await server.shutdown();
    await service.close();
  }
}
