// `deno run -A tests/faults/publish.ts [kills] [seed]`: a gateway killed while it tries versions.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { systemEffects } from "../../src/base/effects.ts";
import { Dice } from "../../src/base/random.ts";
import { declareProject } from "../help/client.ts";
import { fakeDevices, inverterWords, listenFor, sunspecRegisters } from "../help/modbus.ts";
import { type Server, startServer } from "../help/process.ts";
import { modbusSource } from "../help/sources.ts";
import { fileWith } from "../help/versions.ts";
import { until } from "./until.ts";

/** How often the gateway is killed, which moments are drawn, and who is told of each. */
type PublishRounds = {
  readonly kills: number;
  readonly seed: number;
  readonly tell?: (text: string) => void;
};

/** What a side says of the only site. */
type SiteState = {
  readonly version: number;
  readonly state: string;
  readonly reason: string | null;
  readonly in_force: number | null;
};

const wait_ms = 120_000;

/**
 * A centre publishes versions, good ones and ones that break reading, and their gateway is killed
 * at random moments; asserts that it always has one whole version, that the bad ones are rolled
 * back with a reason that the centre is told, and that the devices are read at the end.
 */
export async function killPublishing(
  { kills, seed, tell = () => {} }: PublishRounds,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "wattkeeper-publish-" });
  const words = inverterWords({ w: 5_000, wh: 1_000 });
  const registers = sunspecRegisters([[1, new Array(66).fill(0)], [103, words]]);
  const field = listenFor(fakeDevices({ 1: registers, 2: registers }));
  const centre = await startServer(`${folder}/centre`);
  const args = ["--upstream-trial-s", "10"];
  let gateway = await startServer(`${folder}/gateway`, { args });
  const at_gateway = { address: gateway.address, token: gateway.token! };
  const at_centre = { address: centre.address, token: centre.token! };
  const restart = ["--port", new URL(gateway.address).port, ...args];
  const dice = new Dice(seed);
  const here = () => siteAt(at_gateway, "/platform/v1/upstream");
  const there = () => siteAt(at_centre, "/platform/v1/gateways");
  try {
    await join({ centre, gateway: at_gateway });
    const publish = (every_s: number, port: number) =>
      publishFile(at_centre, fileWith([modbusSource(2, { host: "127.0.0.1", port, every_s })]));
    await publish(1, field.port);
    await untilState(here, 1, ["in_force"]);
    await untilRead(at_gateway);
    let last_good = 1;
    for (let round = 0; round < kills; round++) {
      const is_bad = round % 2 === 1;
      const version = await publish(1 + round / 10, is_bad ? 9 : field.port);
      await ask(at_gateway, "/admin/v1/upstream/hold", { method: "DELETE" });
      const after_ms = 12_000 * dice.unit(1, round) ** 2;
      await new Promise((resolve) => setTimeout(resolve, after_ms));
      await gateway.end("SIGKILL");
      gateway = await startServer(`${folder}/gateway`, { args: restart });
      await requireWhole(at_gateway);
      const end = await untilState(here, version, ["in_force", "rolled_back"]);
      const killed = `killed after ${Math.round(after_ms)} ms`;
      tell(`${round + 1}: ${killed}, version ${version} ${end.state}`);
      equal(end.state, is_bad ? "rolled_back" : "in_force", JSON.stringify(end));
      if (is_bad) match(end.reason!, /the source field .*refused/);
      else last_good = version;
      equal(end.in_force, last_good);
      deepEqual((await untilState(there, version, [end.state])).reason, end.reason);
      await untilRead(at_gateway);
    }
  } finally {
    await gateway.end("SIGKILL");
    await centre.end("SIGKILL");
    field.close();
    await Deno.remove(folder, { recursive: true });
  }
}

type Side = { readonly address: string; readonly token: string };

/** Makes a project at the centre, and lets the gateway in by a code. */
async function join({ centre, gateway }: { readonly centre: Server; readonly gateway: Side }) {
  const { token } = await declareProject(centre);
  const asked = { name: "gateway 1", projects: ["p"] };
  const { code } = await ask(
    { address: centre.address, token },
    "/admin/v1/gateways/codes",
    { body: asked },
  ) as { readonly code: string };
  await ask(gateway, "/admin/v1/upstream", { body: { url: centre.address, code } });
}

async function publishFile(side: Side, file: unknown): Promise<number> {
  const said = await ask(side, "/admin/v1/gateways/sites", { body: file });
  return (said as { readonly version: number }).version;
}

async function siteAt(side: Side, path: string): Promise<SiteState | undefined> {
  const said = await ask(side, path);
  type Told = { readonly sites: readonly SiteState[] };
  const told = Array.isArray(said) ? said[0] as Told | undefined : said as Told;
  return told?.sites[0];
}

async function untilState(
  look: () => Promise<SiteState | undefined>,
  version: number,
  states: readonly string[],
): Promise<SiteState> {
  let found: SiteState | undefined;
  const left = await until(async () => {
    found = await look();
    const is_so = found?.version === version && states.includes(found.state);
    return is_so ? [] : [JSON.stringify(found)];
  }, wait_ms);
  deepEqual(left, [], `version ${version} becomes ${states.join(" or ")}`);
  return found!;
}

/** The sources are those of exactly one version: what is in force, or what is tried. */
async function requireWhole(side: Side): Promise<void> {
  type Source = { readonly definition: { readonly units: readonly unknown[] } };
  const sources = await ask(side, "/platform/v1/sources?project_id=p") as readonly Source[];
  equal(sources.length, 1);
  equal(sources[0].definition.units.length, 2);
}

/** Every device answers. */
async function untilRead(side: Side): Promise<void> {
  type Source = { readonly state: { readonly connected: boolean | null } | null };
  const left = await until(async () => {
    const sources = await ask(side, "/platform/v1/sources?project_id=p") as readonly Source[];
    return sources.every(({ state }) => state?.connected) ? [] : [JSON.stringify(sources)];
  }, wait_ms);
  deepEqual(left, [], "the devices are read");
}

async function ask(
  { address, token }: Side,
  path: string,
  { method, body }: { readonly method?: string; readonly body?: unknown } = {},
): Promise<unknown> {
  const answer = await fetch(`${address}${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  ok(answer.ok, `${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

if (import.meta.main) {
  const { out } = systemEffects();
  const [kills = 10, seed = 1] = Deno.args.map(Number);
  await killPublishing({ kills, seed, tell: (text) => out(`${text}\n`) });
  out(`${kills} kills, seed ${seed}: one whole version each time, bad ones rolled back\n`);
}
