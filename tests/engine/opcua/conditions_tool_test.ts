// Conditions of an OPC UA server of another maker (asyncua) as alarms, over gaps and starts.
import { deepEqual, equal, match } from "node:assert/strict";
import { AlarmsOfSource } from "../../../src/engine/sources/sources.ts";
import { SourceState } from "../../../src/engine/devices/state.ts";
import { listOccurrences, readOccurrences } from "../../../src/store/alarms/alarm.ts";
import { cuttable, freePort, hasServer, readSource, startConditions } from "../../help/opcua.ts";
import { testService } from "../../help/service.ts";
import { inverters } from "../../help/sources.ts";
import { plain } from "../../help/site.ts";

const is_skipped = !await hasServer();

/** A service with a site that has a source of such a server. */
async function serviceOf(source: object) {
  const service = await testService({ at: new Date().toISOString() });
  const { blocks: _blocks, tags: _tags, sensors: _sensors, ...rest } = plain;
  const sources = [{ ...source, enabled: false }];
  const answer = await service.fetch("/admin/v1/sites/s", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...rest, devices: inverters(2), sources }),
  });
  equal(answer.status, 200, await answer.text());
  return service;
}

/** All alarms, the first one first. */
async function alarmsOf({ services }: Awaited<ReturnType<typeof serviceOf>>) {
  const found = await services.database.read(async (connection) => {
    const listed = await listOccurrences(connection, {});
    return await readOccurrences(connection, listed.map(({ occurrence_no }) => occurrence_no));
  });
  return found.sort((a, b) => a.raised_at - b.raised_at);
}

/** A service whose site's source reads a server, over a line that can be cut. */
async function alarmed(more: object = {}) {
  const folder = await Deno.makeTempDir();
  const port = freePort();
  let server = await startConditions(port);
  const line = cuttable(port);
  const source = {
    ...{ key: "scada", kind: "opcua", endpoint: `opc.tcp://127.0.0.1:${line.port}/plant/` },
    ...{ security: "none", publish_ms: 100 },
    alarms: { devices: [{ node: "ns=2;s=Block", device: "I2" }], ...more },
  };
  const service = await serviceOf(source);
  const { services } = service;
  const begin = () => {
    const stop = new AbortController();
    const state = new SourceState({ now_us: services.effects.now_us, changed: () => {} });
    const own = { source: services.catalog.sources[0], state, signal: stop.signal };
    const alarms = new AlarmsOfSource(services, own);
    const read = readSource(source, { certificates: folder, alarms });
    return { state: read.state, close: () => (stop.abort(), read.close()) };
  };
  let reading = begin();
  return {
    ...{ line, services, alarms: () => alarmsOf(service) },
    get state() {
      return reading.state;
    },
    turn: (text: string) => server.turn(text),
    /** Waits until the alarms are so. */
    async until(is_so: (found: Awaited<ReturnType<typeof alarmsOf>>) => boolean) {
      for (let i = 0; i < 600; i++) {
        const found = await alarmsOf(service);
        if (is_so(found)) return found;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const { notes, last_error } = reading.state;
      throw new Error(JSON.stringify([await alarmsOf(service), notes, last_error]));
    },
    async restart() {
      await reading.close();
      reading = begin();
    },
    async restartServer() {
      await server.kill();
      server = await startConditions(port);
    },
    async close() {
      await reading.close();
      await service.close();
      await server.kill();
      await line.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

type Alarmed = Awaited<ReturnType<typeof alarmed>>;

function served(name: string, run: (world: Alarmed) => Promise<void>, more: object = {}): void {
  Deno.test({
    name,
    ignore: is_skipped,
    async fn() {
      const world = await alarmed(more);
      try {
        await run(world);
      } finally {
        await world.close();
      }
    },
    sanitizeOps: false,
    sanitizeResources: false,
  });
}

const states = (found: Awaited<ReturnType<typeof alarmsOf>>) =>
  found.map(({ rule_name, cleared_at }) => [rule_name, cleared_at === null]);

served("a condition is an alarm: raised, acknowledged, confirmed, ended", async (world) => {
  await world.turn("raise I1.Overheat 900");
  await world.turn("raise Block.Fan 300");
  const [alarm, fan] = await world.until((found) => found.length === 2);
  const device = (id: string | null) => world.services.catalog.device(id ?? "")?.key;
  deepEqual([alarm.severity, fan.severity], ["critical", "low"]);
  deepEqual([device(alarm.device_id), device(fan.device_id)], ["I1", "I2"]);
  deepEqual([alarm.source, alarm.kind, alarm.source_tag, alarm.alarm_class], [
    ...["scada", "condition", "scada.I1.I1.Overheat", "trip"],
  ]);
  equal(alarm.rule_description, "I1.Overheat raise");
  deepEqual(JSON.parse(alarm.params!), {
    ...{ condition: "ns=2;s=Alarms.I1.Overheat", event_type: "ns=0;i=2915", severity: 900 },
    ...{ acknowledged: false, confirmed: false },
  });
  await world.turn("ack I1.Overheat 900");
  await world.until(([{ params }]) => JSON.parse(params!).acknowledged === true);
  await world.turn("change I1.Overheat 500");
  await world.until(([{ severity }]) => severity === "medium");
  await world.turn("clear I1.Overheat 500");
  await world.until(([{ cleared_at }]) => cleared_at !== null);
  await world.turn("confirm I1.Overheat 500");
  const [ended] = await world.until(([{ params }]) => JSON.parse(params!).confirmed === true);
  equal(ended.events_total, 5, "raised and four changes");
  await world.turn("raise I1.Overheat 900");
  const again = await world.until((found) => found.length === 3);
  deepEqual(states(again), [["I1.Overheat", false], ["Block.Fan", true], ["I1.Overheat", true]]);
}, { alarm_class: "trip" });

served("after a gap what is active is known, and what has gone is ended", async (world) => {
  for (const name of ["I1.Stays", "I1.Goes", "I1.Again"]) await world.turn(`raise ${name} 700`);
  await world.until((found) => found.length === 3);
  world.line.cut();
  await world.turn("ack I1.Goes 700 quiet");
  await world.turn("clear I1.Goes 700 quiet");
  await world.turn("clear I1.Again 700 quiet");
  await world.turn("raise I1.Again 700 quiet");
  await world.turn("raise I1.New 700 quiet");
  await world.turn("raise I1.Brief 700 quiet");
  await world.turn("clear I1.Brief 700 quiet");
  world.line.mend();
  const found = await world.until((all) => all.length === 6 && states(all)[1][1] === false);
  deepEqual(states(found), [
    ...[["I1.Stays", true], ["I1.Goes", false], ["I1.Again", false], ["I1.Again", true]],
    ...[["I1.New", true], ["I1.Brief", false]],
  ]);
});

served("starts in the middle double nothing", async (world) => {
  await world.turn("raise I1.Stays 700");
  await world.turn("raise I1.Goes 700");
  await world.until((found) => found.length === 2);
  const before = await world.alarms();
  for (let i = 0; i < 3; i++) await world.restart();
  await world.turn("ack I1.Goes 700");
  await world.turn("clear I1.Goes 700");
  const found = await world.until(([, { cleared_at }]) => cleared_at !== null);
  equal(found.length, 2);
  equal(found[0].events_total, before[0].events_total);
  await world.restartServer();
  const after = await world.until(([{ cleared_at }]) => cleared_at !== null);
  equal(after.length, 2, "a server that begins anew has none of them");
});

served("what is less severe than is asked for raises no alarm", async (world) => {
  await world.turn("raise I1.Small 500");
  await world.turn("raise I1.Large 501");
  await world.until((found) => found.length === 1);
  await world.turn("change I1.Small 800");
  const found = await world.until((all) => all.length === 2);
  deepEqual(states(found), [["I1.Small", true], ["I1.Large", true]]);
}, { severity_from: 501 });

served("a node that sends no events is named", async (world) => {
  await world.until(() => world.state.notes.length > 0);
  match(world.state.notes.join(), /conditions are not read: ns=2;s=Nothing .*Bad/);
}, { node: "ns=2;s=Nothing" });
