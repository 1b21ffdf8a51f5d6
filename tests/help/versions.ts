// A centre that publishes site files and a gateway that pulls them, over devices in a test's hand.
import assert from "node:assert/strict";
import type { Connect } from "../../src/base/effects_line.ts";
import type { Settings } from "../../src/model/setting.ts";
import { upstream_limits } from "../../src/model/upstream/limits.ts";
import { PulledSites } from "../../src/engine/versions/pulled.ts";
import { turns } from "./until.ts";
import { type TestService, testService } from "./service.ts";
import { plain } from "./site.ts";
import { inverters, type SourceInput } from "./sources.ts";

const url = "http://centre.example";

/** Both sides; the gateway begins without anything. */
export type Publishing = {
  readonly gateway: TestService;
  readonly centre: TestService;
  readonly publish: (
    sources: readonly SourceInput[],
    search?: Readonly<Record<string, string>>,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /** Lets the gateway meet its centre, and do what it has pulled. */
  readonly meet: () => Promise<void>;
  /** Moves both clocks on by seconds, one by one, and lets everything have its turns. */
  readonly pass: (seconds: number) => Promise<void>;
  /** The same until the only site's newest version is in a state. */
  readonly passUntil: (state: string) => Promise<void>;
  /** How the only site goes: at the gateway, and as the centre was told. */
  readonly here: () => Promise<Readonly<Record<string, unknown>> | undefined>;
  readonly there: () => Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Whatever answers the gateway's requests in place of the centre, until it is put back. */
  line: (request: Request) => Promise<Response>;
  /** The gateway's pulled sites as a new start finds them. */
  readonly reopen: () => Promise<PulledSites>;
  readonly close: () => Promise<void>;
};

/** The site file with some sources, and a sensor of what they bring. */
export function fileWith(sources: readonly SourceInput[]) {
  const { blocks: _blocks, tags: _tags, sensors: _sensors, ...rest } = plain;
  const devices = inverters(3);
  const [{ key: device }] = devices;
  const sensors = [{ tag: `${device}.w`, device, measure: "active_power" }];
  return { ...rest, devices, sensors, sources };
}

/** Opens both sides. */
export async function openPublishing(
  connect: Connect,
  settings: Partial<Settings> = {},
): Promise<Publishing> {
  const { centre, token } = await openCentre();
  const world = { line: (request: Request) => centre.answer(request) };
  const gateway = await testService({
    ...{ at, connect },
    request: (request) => world.line(request),
    settings: { upstream_url: url, upstream_token: token, ...settings },
  });
  const { upstream, pulled_sites, sources: { loop } } = gateway.services;
  const stop = new AbortController();
  const looping = loop.run(stop.signal);
  const never = new AbortController().signal;
  const settle = async () => {
    while (await pulled_sites.turn() === 0);
  };
  const here = async () => (await (await gateway.fetch("/platform/v1/upstream")).json()).sites[0];
  const pass = async (seconds: number) => {
    for (let i = 0; i < seconds; i++) {
      for (const side of [gateway, centre]) side.clock.advance(1_000);
      await turns(300);
      await settle();
    }
  };
  return Object.assign(world, {
    ...{ gateway, centre },
    async publish(sources: readonly SourceInput[], search: Readonly<Record<string, string>> = {}) {
      return await put(centre, `${path}?${new URLSearchParams(search)}`, fileWith(sources), "POST");
    },
    async meet() {
      for (const side of [gateway, centre]) side.clock.advance(upstream_limits.retry_most_ms);
      upstream.meetSoon();
      await upstream.turn(never);
      await settle();
      upstream.meetSoon();
      await upstream.turn(never);
    },
    pass,
    async passUntil(state: string) {
      for (let i = 0; i < 200; i++) {
        if ((await here())?.state === state) return;
        await pass(1);
      }
      throw new Error(`the version was never ${state}: ${JSON.stringify(await here())}`);
    },
    here,
    async there() {
      return (await (await centre.fetch("/platform/v1/gateways")).json())[0]?.sites[0];
    },
    reopen: () => PulledSites.open(gateway.services),
    async close() {
      stop.abort();
      await gateway.close();
      await looping;
      await centre.close();
    },
  });
}

const at = "2026-06-01T12:00:00Z";
const path = "/admin/v1/gateways/sites";

async function openCentre() {
  const centre = await testService({ at });
  await put(centre, "/admin/v1/sites/s", fileWith([]));
  const [{ id, organization_id }] = centre.services.catalog.projects;
  const { token } = await centre.services.access.create({
    ...{ name: "gateway", organization_id, project_ids: [id], scopes: ["ingest"] },
    expires_at: null,
  });
  return { centre, token };
}

async function put(service: TestService, path: string, body: unknown, method = "PUT") {
  const headers = { "content-type": "application/json" };
  const answer = await service.fetch(path, { method, headers, body: JSON.stringify(body) });
  const said = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(said));
  return said;
}
