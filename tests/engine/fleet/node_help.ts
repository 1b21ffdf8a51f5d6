// A node of a fleet in a test's hand, at a real catalogue.
import { equal } from "node:assert/strict";
import { systemEffects } from "../../../src/base/effects.ts";
import type { Message, OtherSelf } from "../../../src/base/effects_self.ts";
import { silent_log } from "../../../src/engine/core/log.ts";
import { FleetNode } from "../../../src/engine/fleet/node.ts";
import { type CatalogPlace, catalogPlace } from "../../../src/model/fleet/place.ts";
import { home_shard, shardName } from "../../../src/model/fleet/shard.ts";
import { type Settings, settings_table } from "../../../src/model/setting.ts";
import { FleetCatalog } from "../../../src/store/fleet/fleet_catalog.ts";
import { fakeEffects } from "../../help/effects.ts";
import { aTurn } from "../../help/until.ts";

const defaults = Object.fromEntries(
  Object.entries(settings_table).map(([name, setting]) => [
    name,
    "default" in setting ? setting.default : 256,
  ]),
) as Settings;

/** A process of a shard that answers at once, and tells when it was killed. */
export function fakeShard(killed: () => void): OtherSelf {
  const said: Message[] = [{ json: { port: 1234 } }];
  const over = Promise.withResolvers<undefined>();
  return {
    pid: 1,
    send: ({ ...message }) => {
      if ("json" in message && "stop" in Object(message.json)) over.resolve(undefined);
      return Promise.resolve();
    },
    receive: () => said.length > 0 ? Promise.resolve(said.shift()) : over.promise,
    end() {
      over.resolve(undefined);
      killed();
      return Promise.resolve(0);
    },
  };
}

/** A process of a shard that says why, and ends. */
export function dyingShard(why: string): OtherSelf {
  const said: Message[] = [{ json: { failed: why } }];
  return {
    pid: 1,
    send: () => Promise.resolve(),
    receive: () => Promise.resolve(said.shift()),
    end: () => Promise.resolve(1),
  };
}

/** What a node in a test's hand is made of. */
type Making = {
  readonly place: CatalogPlace;
  readonly data_dir: string;
  readonly fleet_fence?: string;
  readonly catalog?: FleetCatalog;
  readonly data_version?: number;
  /** What is started in place of a shard that answers at once. */
  readonly startShard?: () => OtherSelf | undefined;
};

/** Makes the catalogue of a fleet at a PostgreSQL, and a folder in which its home once was. */
export async function makeFleet(
  postgres: string,
  { data_dir, shards }: { readonly data_dir: string; readonly shards: number },
): Promise<CatalogPlace> {
  const place = catalogPlace(`postgres:${postgres}`)!;
  const home = `${data_dir}/${shardName(home_shard)}`;
  await Deno.mkdir(home, { recursive: true });
  // What a shard leaves in its folder.
  await Deno.writeTextFile(`${home}/wattkeeper.duckdb`, "");
  const catalog = new FleetCatalog(place, { effects: systemEffects() });
  await catalog.make(shards);
  await catalog.close();
  return place;
}

/** Lets nodes look in turns until `isSo`: by the catalogue's clock, who does not look is away. */
export async function inTurns(
  nodes: readonly Pick<ReturnType<typeof nodeOf>, "node">[],
  isSo: () => boolean,
): Promise<void> {
  for (let turns = 0; turns < 2_000 && !isSo(); turns++) {
    for (const { node } of nodes) await node.refresh();
    await aTurn();
  }
  equal(isSo(), true, String(isSo));
}

/** A node with a clock of its own, on a folder that others may share. */
export function nodeOf(
  name: string,
  {
    place,
    data_dir,
    fleet_fence = "process",
    catalog = new FleetCatalog(place, { effects: systemEffects() }),
    data_version = 1,
    startShard,
  }: Making,
) {
  const { effects, clock } = fakeEffects();
  const state = { started: 0, ended: 0 };
  const node = new FleetNode({
    settings: { ...defaults, data_dir, fleet_node: name, fleet_fence },
    effects: {
      ...effects,
      random: (count) => crypto.getRandomValues(new Uint8Array(count)),
      startSelf: () => {
        state.started++;
        return startShard?.() ?? fakeShard(() => state.ended++);
      },
    },
    ...{ log: silent_log, version: "1", data_version, catalog, address: `http://${name}` },
    fleet: "f",
  });
  const stop = new AbortController();
  const running = node.loop.run(stop.signal);
  return {
    ...{ node, clock, state, catalog },
    /** Looks, and waits until `isSo`; each look is a question to the catalogue. */
    async until(isSo: () => boolean): Promise<void> {
      for (let turns = 0; turns < 5_000 && !isSo(); turns++) {
        await node.refresh();
        await aTurn();
      }
      equal(isSo(), true, String(isSo));
    },
    async end(): Promise<void> {
      stop.abort();
      await running;
      await catalog.close();
    },
  };
}
