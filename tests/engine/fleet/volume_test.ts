// A volume that hangs: its shard says why it does not run, and others may try it.
import { deepEqual, equal, match } from "node:assert/strict";
import type { Message, OtherSelf } from "../../../src/base/effects_self.ts";
import { silent_log } from "../../../src/engine/core/log.ts";
import { Holding } from "../../../src/engine/fleet/holding.ts";
import { Starter } from "../../../src/engine/fleet/starter.ts";
import { fleet_limits } from "../../../src/model/fleet/limits.ts";
import type { Notice } from "../../../src/model/fleet/shard.ts";
import type { FleetCatalog, Seen } from "../../../src/store/fleet/fleet_catalog.ts";
import { fakeEffects } from "../../help/effects.ts";
import { test_settings } from "../../help/service.ts";
import { aTurn, until } from "../../help/until.ts";
import { dyingShard, fakeShard } from "./node_help.ts";

const told: Notice = { organizations: [], projects: [], sites: [], tokens: [], users: [] };
const row: Seen = {
  ...{ no: 1, node: "a", epoch: 1, is_held: true, home: "a", is_open: false, wanted: null },
  ...{ is_used: true, is_made: true, data_version: 1, why: null, tried: [], mark: "" },
  is_outlined: false,
};

/** What starts a shard that a node holds, on a clock in a test's hand, and what came of it. */
function inHand(
  { startSelf, hasDatabase }: {
    readonly startSelf: () => OtherSelf;
    readonly hasDatabase: () => Promise<boolean>;
  },
) {
  const { effects, clock } = fakeEffects();
  const holding = new Holding(row, { asked_ms: effects.monotonic_ms(), effects });
  const kept: Pick<Seen, "why" | "tried">[] = [];
  const catalog = {
    opening: () => Promise.resolve(true),
    keepTrouble: (_: unknown, trouble: Pick<Seen, "why" | "tried">) =>
      Promise.resolve(void kept.push(trouble)),
  };
  const starter = new Starter({
    ...{ settings: { ...test_settings, fleet_node: "a", fleet_fence: "none" }, data_version: 1 },
    ...{ effects: { ...effects, startSelf }, log: silent_log, address: "http://a", hasDatabase },
    fleet: "f",
    catalog: catalog as unknown as FleetCatalog,
  }, { onTold: () => {}, onChange: () => {} });
  const look = () => {
    holding.renew(effects.monotonic_ms());
    clock.advance(fleet_limits.silent_look_ms);
  };
  const pass = async (wait_ms: number) => {
    for (let passed_ms = 0; passed_ms < wait_ms; passed_ms += fleet_limits.silent_look_ms) {
      look();
      await aTurn();
    }
  };
  return {
    ...{ starter, holding, kept, pass },
    serve: () => starter.serve(holding, { row, told, share: 1 }),
    /** Until its process, of which the system is asked, was killed and may be started again. */
    async passKill() {
      await until(() => holding.port === undefined, { meanwhile: look });
      await pass(fleet_limits.restart_ms);
    },
  };
}

/** Until all looks are over, and a little more. */
const look_ms = (fleet_limits.silent_looks + 3) * fleet_limits.silent_look_ms;

Deno.test("a volume that hangs is asked once, and its shard goes to another node", async () => {
  const volume = Promise.withResolvers<boolean>();
  const seen = { looks: 0, started: 0 };
  const { starter, holding, kept, serve, pass } = inHand({
    startSelf() {
      seen.started++;
      return dyingShard("it is tried no further");
    },
    hasDatabase() {
      seen.looks++;
      return volume.promise;
    },
  });
  serve();
  await pass(look_ms);
  match(kept[0].why!, /did not answer for 30 s: its volume may hang$/);
  deepEqual([kept[0].tried, starter.isOpening(holding)], [["a"], false]);
  await pass(fleet_limits.restart_ms);
  serve();
  await pass(look_ms);
  deepEqual([kept.length, seen.looks, seen.started], [2, 1, 0], "the first look is open");
  volume.resolve(true);
  await pass(fleet_limits.restart_most_ms);
  serve();
  await pass(look_ms);
  deepEqual([seen.looks, seen.started], [2, 1]);
  equal(kept.at(-1)!.why, "it is tried no further");
});

Deno.test("who takes a shard whose volume hung fences its node first", async () => {
  let looks = 0;
  const { holding, kept, serve, pass, passKill } = inHand({
    startSelf: () => fakeShard(() => {}),
    hasDatabase: () => looks++ === 0 ? Promise.resolve(true) : new Promise(() => {}),
  });
  serve();
  await pass(fleet_limits.silent_look_ms);
  deepEqual([holding.port, holding.is_fenced], [1234, true]);
  await passKill();
  serve();
  await pass(look_ms);
  match(kept.at(-1)!.why!, /did not answer for 30 s: its volume may hang$/);
  deepEqual([kept.at(-1)!.tried, holding.is_fenced], [["a"], false]);
});

Deno.test("the next node fences after a hang, though the volume seems to answer", async () => {
  const silent = () => fakeShard(() => {});
  const unable = () => dyingShard("it can't open its database");
  const selves = [silent, unable, silent];
  const { holding, serve, pass, passKill } = inHand({
    startSelf: () => selves.shift()!(),
    hasDatabase: () => Promise.resolve(true),
  });
  serve();
  await pass(fleet_limits.silent_look_ms);
  equal(holding.is_shut, true);
  await passKill();
  equal(holding.is_shut, false);
  serve();
  await pass(look_ms);
  deepEqual([selves.length, holding.is_shut], [1, false], "nobody has opened it since");
  await pass(fleet_limits.restart_most_ms);
  serve();
  await pass(fleet_limits.silent_look_ms);
  deepEqual([selves.length, holding.port, holding.is_shut], [0, 1234, true]);
});

Deno.test("a process that does not even end when it is killed holds no shard", async () => {
  const ended = Promise.withResolvers<number>();
  const silent = Promise.withResolvers<undefined>();
  const said: Message[] = [{ json: { port: 1 } }];
  const { holding, kept, serve, pass } = inHand({
    startSelf: () => ({
      pid: 1,
      send: () => Promise.resolve(),
      receive: () => said.length > 0 ? Promise.resolve(said.shift()) : silent.promise,
      end() {
        silent.resolve(undefined);
        return ended.promise;
      },
    }),
    hasDatabase: () => Promise.resolve(true),
  });
  serve();
  await pass(look_ms);
  equal(holding.port, 1);
  await pass(look_ms + 2 * fleet_limits.fence_ms);
  match(kept[0].why!, /was killed: it said nothing for 30 s; its volume may hang$/);
  deepEqual([kept[0].tried, holding.port, holding.process === undefined], [
    ["a"],
    undefined,
    false,
  ]);
  ended.resolve(137);
  await pass(fleet_limits.silent_look_ms);
  equal(holding.process, undefined, "it may be started again");
});
