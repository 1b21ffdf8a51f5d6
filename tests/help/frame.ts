// The HTTP frame around routes of a test's own: real database, tokens and catalog, a clock in hand.
import type { TokenRequest } from "../../src/engine/access/access.ts";
import { openParts } from "../../src/engine/service/service.ts";
import { silent_log } from "../../src/engine/core/log.ts";
import { createApp } from "../../src/http/app.ts";
import { type Route, route } from "../../src/http/frame/route.ts";
import { type Services, servicesOf } from "../../src/http/frame/services.ts";
import { Database } from "../../src/store/database.ts";
import { fakeEffects } from "./effects.ts";

/** What the frame's tests begin with: two organizations, three projects, nothing else. */
const tenants = `
  INSERT INTO organization VALUES ('org-a', 'a', 'A'), ('org-b', 'b', 'B');
  INSERT INTO project VALUES
    (1, 'project-1', 'org-a', 'one', 'One', NULL, 'UTC'),
    (2, 'project-2', 'org-a', 'two', 'Two', NULL, 'UTC'),
    (3, 'project-3', 'org-b', 'three', 'Three', NULL, 'UTC')`;

const fixed_settings = {
  ...{ signing_key_days: 90, signing_key_publish_hours: 24 },
  ...{
    upstream_url: "none",
    upstream_token: "none",
    upstream_max_kbit: 0,
    destination_dir: "none",
    destination_allow: "none",
  },
  ...{ upstream_trial_s: 300, source_allow: "none" },
};

/** A frame around the routes of `make`, at an instant; `fetch` sends an administrator's token. */
export async function openFrame(make: (services: Services) => readonly Route[], at?: string) {
  const { effects, clock } = fakeEffects(at);
  const database = await Database.open({ path: ":memory:", memory_mb: 256, threads: 1, effects });
  await database.write(({ connection }) => connection.script(tenants));
  const parts = await openParts(database, {
    effects,
    log: silent_log,
    version: "0",
    settings: {
      ...{
        data_dir: "no-such-folder",
        visible_after_ms: 5000,
        planned_off: "none",
        memory_mb: 256,
      },
      ...{ backup_dir: "none", backup_every: "none", backup_keep: 1 },
      ...{ webhook_allow: "none", webhook_rotation_hours: 24, ...fixed_settings },
      ...{ keep_samples: "forever", keep_forecasts: "forever", keep_minutes: "forever" },
      ...{ keep_quarters: "forever", keep_free_percent: 0, fleet_address: "none" },
      ...{ tier_after: "never", tier_dir: "none" },
      ...{ webhook_keep_days: 30, host: "127.0.0.1", port: 0, stop_grace_ms: 0 },
      ...{ public_url: "none", trusted_proxies: "none", cors_origins: "none", oidc_issuer: "none" },
      ...{ tls_cert: "none", metrics: "open", setpoints: "off", setpoint_keep_days: 365 },
      ...{ oidc_client_id: "wattkeeper", oidc_client_secret: "none", oidc_name: "none" },
    },
  });
  const services = servicesOf(parts);
  const { access, roll, availability } = services;
  const app = createApp(services, make(services));
  const admin = access.first_token!;
  return {
    services,
    clock,
    app,
    database,
    admin,
    async token(request: Partial<TokenRequest>): Promise<string> {
      const everything = { organization_id: null, project_ids: null, expires_at: null } as const;
      const made = await access.create({
        name: "t",
        scopes: ["read"],
        ...everything,
        ...request,
      });
      return made.token;
    },
    fetch(path: string, init: RequestInit = {}): Promise<Response> {
      const headers = new Headers(init.headers);
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${admin}`);
      return app.fetch(new Request(`http://localhost${path}`, { ...init, headers }));
    },
    /** The database's answer to another read gives everything else its turn. */
    turn: () => database.read((connection) => connection.script("SELECT 1")),
    async close() {
      await roll.close();
      await availability.close();
      await database.close();
    },
  };
}

/** A route for a test: GET, scope `read`, project by `project_id`, a small JSON answer. */
export function testRoute(more: Partial<Route>): Route {
  return route({
    name: "test",
    method: "GET",
    path: "/test",
    summary: "Test",
    doc: "A test's route.",
    scope: "read",
    project: "project_id",
    params: [{ name: "project_id", in: "query", kind: "text", required: true, doc: "Project." }],
    answer: { kind: "json", schema: { type: "object" } },
    handle: ({ values }) => Response.json(values),
    ...more,
  } as Route);
}
