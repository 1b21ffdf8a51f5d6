// A whole service in memory for a test: real database, real routes, a clock in the test's hand.
import { lakeOf } from "../../src/store/retention/lake.ts";
import type { Effects } from "../../src/base/effects.ts";
import { assemble } from "../../src/app.ts";
import type { App } from "../../src/http/app.ts";
import { routesOf } from "../../src/http/routes.ts";
import { silent_log } from "../../src/engine/core/log.ts";
import type { World } from "../../src/engine/service/service.ts";
import type { Services } from "../../src/http/frame/services.ts";
import { type Settings, settings_table } from "../../src/model/setting.ts";
import { Database } from "../../src/store/database.ts";
import { tiersPath } from "../../src/store/folder.ts";
import { Description } from "./description.ts";
import { type Clock, fakeEffects } from "./effects.ts";
import { throughFront } from "./front.ts";

/** A service that answers `fetch` without a network; its loops run only when a test says so. */
export type TestService = {
  readonly services: Services;
  readonly clock: Clock;
  /** An administrator's token, which `fetch` sends unless the request has its own. */
  readonly token: string;
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** The same without a token, from another machine unless `peer` says which. */
  readonly ask: (path: string, init?: RequestInit, peer?: string) => Promise<Response>;
  /** Answers what comes over a connection: for a server of the service. */
  readonly answer: App["fetch"];
  /** The same at the metrics' own address. */
  readonly answerMetrics: App["fetchMetrics"];
  /** Takes no more work, and ends what would go on for ever. */
  readonly refuse: () => void;
  /** Does what is due by the clock, rolls everything stored up, works availability out. */
  readonly settle: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** What the first service promises of its answers; the others promise the same. */
let described: Description | undefined;

/** What a test wants of its service. */
type Wish =
  & {
    readonly at?: string;
    readonly path?: string;
    readonly seed?: number;
    readonly settings?: Partial<Settings>;
  }
  & Pick<World, "is_signing_told">
  & Partial<Pick<Effects, "post" | "request" | "connect" | "owns">>;

/**
 * Opens a service whose clock stands at `at` (ISO 8601). Roll up with `settle()`. It is in memory,
 * or in the file `path`.
 */
export async function testService(
  { at, path = ":memory:", seed, settings = {}, is_signing_told, ...doors }: Wish = {},
): Promise<TestService> {
  const { effects: alone, clock } = fakeEffects(at, seed);
  const effects = { ...alone, ...doors };
  const given = { ...test_settings, ...settings };
  const world = { effects, settings: given, log: silent_log, is_signing_told };
  const database = await Database.open({
    ...{ path, memory_mb: 512, threads: 1, effects },
    ...{ far_path: tiersPath(world.settings), lake: lakeOf(world.settings, { effects }) },
  });
  database.vault.use(new Uint8Array(32));
  const { services, app } = await assemble(database, world);
  const { token } = await services.access.create({
    ...{ name: "test", organization_id: null, project_ids: null },
    ...{ scopes: ["admin"], expires_at: null },
  });
  const description = described ??= new Description(routesOf(services));
  const front = Deno.env.has("TEST_FLEET") ? throughFront(app.fetch, services) : undefined;
  const answer = front?.fetch ?? app.fetch;
  return {
    services,
    clock,
    token,
    async fetch(path, init) {
      const request = new Request(new URL(path, "http://localhost"), init);
      if (!request.headers.has("authorization")) {
        request.headers.set("authorization", `Bearer ${token}`);
      }
      return description.checked(request, await answer(request));
    },
    async ask(path, init, hostname = "198.51.100.7") {
      const remoteAddr = { transport: "tcp", hostname, port: 5000 } as const;
      const request = new Request(new URL(path, "http://localhost"), init);
      return description.checked(request, await answer(request, { remoteAddr }));
    },
    answer,
    answerMetrics: app.fetchMetrics,
    refuse() {
      front?.refuse();
      app.refuse();
    },
    async settle() {
      await services.shelving.settle();
      await services.roll.settle();
      await services.availability.settle();
      await services.minute_evaluator.settle();
      await services.deliveries.settle();
    },
    async close() {
      await services.sources.close();
      await services.destinations.close();
      await services.roll.close();
      await services.availability.close();
      await services.minute_evaluator.close();
      // Nothing is left of it: no checkpoint is needed.
      await database.abandon();
    },
  };
}

const defaults = Object.entries(settings_table)
  .map(([name, setting]) => [name, "default" in setting ? setting.default : 1]);
/** Every setting as a test has it unless it says otherwise. */
export const test_settings = {
  ...Object.fromEntries(defaults),
  // No test may find, and clean up, what someone keeps in the usual place.
  ...{ memory_mb: 512, data_dir: "no-such-folder" },
  // Simulated devices are on this machine.
  source_allow: "127.0.0.0/8,::1",
} as Settings;
