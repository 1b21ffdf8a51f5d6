// The device of a source's alarm, by its tag: known at once, or mapped by a later site file.
import assert from "node:assert/strict";
import { alarm_limits } from "../../../src/model/alarms/limits.ts";
import { AlarmIngest } from "../../../src/engine/alarms/ingest.ts";
import { mapAlarms } from "../../../src/engine/alarms/place.ts";
import { Users } from "../../../src/engine/access/user.ts";
import type { SiteInput } from "../../../src/model/site/file.ts";
import { readOccurrence, readTimelines } from "../../../src/store/alarms/alarm.ts";
import { decodeAlarms } from "../../../src/wire/alarms/decode.ts";
import { openSites, plain } from "../../help/site.ts";
import { snapshotRow } from "./ingest_help.ts";
import { queryRows, runQuery } from "../../help/query.ts";

/** Applies site files, sends snapshots to their project, looks at occurrences. */
async function openMapped(file: SiteInput) {
  const sites = await openSites();
  await sites.apply(file);
  const users = await Users.open(sites);
  const ingest = new AlarmIngest({ ...sites, users });
  const [project] = sites.catalog.projects;
  return {
    ...sites,
    async send(rows: readonly object[]) {
      const bytes = new TextEncoder().encode(JSON.stringify(rows));
      const body = (async function* () {
        yield bytes;
      })();
      const now_us = sites.effects.now_us();
      const options = { media_type: "application/json", encoding: null, now_us };
      const answer = await ingest.add(project, await decodeAlarms(body, options));
      assert.deepEqual(answer.rejected, []);
    },
    async look(occurrence_id: string) {
      const { project_no } = project;
      return await sites.database.read(async (it) => {
        const occurrence = (await readOccurrence(it, { project_no, occurrence_id }))!;
        const events = await readTimelines(it, [occurrence]);
        const device = sites.catalog.device(occurrence.device_id ?? "")?.key ?? null;
        return { ...occurrence, device, types: events.map((event) => event.type), events };
      });
    },
  };
}

const listed: SiteInput = {
  ...plain,
  device_models: [{
    key: "M",
    points: { "Error-17": { label: "Fan", is_nerc: true }, "Error-18": { label: "Door" } },
  }],
  devices: [
    { key: "I", type: "inverter", block: "B", device_model: "M", event_tag: "i.word" },
    { key: "J", type: "inverter", block: "B" },
  ],
  tags: [
    { name: "i.alarm", class: "alarms", device_key: "I" },
    { name: "bare" },
  ],
};

Deno.test("an alarm is on the device of its tag's sensor, device key or event word", async () => {
  const { send, look, database } = await openMapped(listed);
  await send([
    snapshotRow("sensor", { source_tag: "i.p" }),
    snapshotRow("key", { source_tag: "i.alarm" }),
    snapshotRow("word", { source_tag: "i.word" }),
    snapshotRow("bare", { source_tag: "bare" }),
    snapshotRow("never seen", { source_tag: "x", measure: "frequency" }),
  ]);
  const places = ["sensor", "key", "word", "bare", "never seen"].map(async (id) => {
    const { device, measure } = await look(id);
    return [device, measure];
  });
  assert.deepEqual(await Promise.all(places), [
    ["I", "active_power"],
    ["I", null],
    ["I", null],
    [null, null],
    [null, "frequency"],
  ]);
  await database.close();
});

Deno.test("an alarm point is named by the device model's list, else by its key", async () => {
  const { send, look, database } = await openMapped(listed);
  const point = (source_tag: string, point_key: string, said = {}) =>
    snapshotRow(`${source_tag} ${point_key}`, { source_tag, point_key, ...said });
  await send([
    point("i.alarm", "Error-17"),
    point("i.alarm", "Error-99"),
    point("bare", "Error-17"),
    point("i.alarm", "Error-18", { decoded_labels: ["Hatch"], is_nerc: true }),
  ]);
  const seen = async (id: string) => {
    const { decoded_labels, is_nerc } = await look(id);
    return [...decoded_labels, is_nerc];
  };
  assert.deepEqual(await seen("i.alarm Error-17"), ["Fan", true]);
  assert.deepEqual(await seen("i.alarm Error-99"), ["Error-99", false]);
  assert.deepEqual(await seen("bare Error-17"), ["Error-17", false]);
  assert.deepEqual(await seen("i.alarm Error-18"), ["Hatch", true]);
  await database.close();
});

Deno.test("alarms get their device and name when their tag is mapped later", async () => {
  const { send, look, apply, database } = await openMapped(plain);
  await send([
    snapshotRow("a", { source_tag: "i.alarm", point_key: "Error-17" }),
    snapshotRow("b", { source_tag: "i.alarm", cleared_at: snapshotRow("b").raised_at }),
    snapshotRow("c", { source_tag: "bare" }),
    snapshotRow("d", { source_tag: "i.p" }),
  ]);
  const before = await look("a");
  assert.deepEqual([before.device, before.decoded_labels], [null, ["Error-17"]]);
  await apply(listed);
  const [a, b, c, d] = await Promise.all(["a", "b", "c", "d"].map(look));
  assert.deepEqual([a.device, b.device, c.device, d.device], ["I", "I", null, "I"]);
  assert.deepEqual(a.decoded_labels, ["Fan"]);
  assert.deepEqual(a.types, ["raised", "device_mapped"]);
  assert.deepEqual([c.types, d.types], [["raised"], ["raised"]]);
  const mapped = a.events.at(-1)!;
  assert.equal(mapped.kind, "system");
  assert.deepEqual(JSON.parse(mapped.detail!), { device_id: a.device_id });
  assert.ok(a.updated_at > before.updated_at && a.synced_at > before.synced_at);
  // The same snapshot again says nothing new, nor does another site file.
  await send([snapshotRow("a", { source_tag: "i.alarm", point_key: "Error-17" })]);
  await apply({ ...listed, site: { ...listed.site, name: "Other" } });
  assert.deepEqual((await look("a")).types, ["raised", "device_mapped"]);
  await database.close();
});

Deno.test("an alarm keeps its device when its tag is mapped no longer", async () => {
  const { send, look, apply, database } = await openMapped(listed);
  await send([snapshotRow("a", { source_tag: "i.alarm" })]);
  await apply({ ...listed, tags: [{ name: "i.alarm", class: "alarms" }] });
  const later = { updated_at: "2026-06-01T11:30:00Z", last_value: 4 };
  await send([snapshotRow("a", { source_tag: "i.alarm", ...later })]);
  assert.deepEqual([(await look("a")).device, (await look("a")).last_value], ["I", 4]);
  await database.close();
});

Deno.test("what a crash left unmapped is mapped at the start, however many they are", async () => {
  const { send, look, catalog, alarms, database } = await openMapped(plain);
  await send([snapshotRow("a", { source_tag: "i.alarm" })]);
  const count = alarm_limits.alarms_per_transaction + 1;
  await database.write(async ({ connection }) => {
    await connection.script("UPDATE tag SET device_key = 'I' WHERE sensor_tag = 'i.alarm'");
    await runQuery(
      connection,
      "INSERT INTO occurrence SELECT a.* REPLACE (i + 2 AS occurrence_no, 'a ' || i AS " +
        "occurrence_id) FROM occurrence AS a, range($count::BIGINT) AS r(i)",
      { count },
    );
  });
  await catalog.reload();
  await mapAlarms({ database, catalog, alarms });
  assert.equal((await look("a")).device, "I");
  const [{ mapped, stamps }] = await database.read((connection) =>
    queryRows<{ mapped: number; stamps: number }>(
      connection,
      "SELECT count(device_id)::INTEGER AS mapped, " +
        "count(DISTINCT synced_at)::INTEGER AS stamps FROM occurrence",
    )
  );
  assert.deepEqual([mapped, stamps], [count + 1, 2]);
  await database.close();
});
