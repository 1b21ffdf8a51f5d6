// What was said outright of inverters: by operators, by the grid's voltage, by their own codes.
import { giveWay } from "../base/effects.ts";
import { type StateSpan, verdict } from "../model/availability.ts";
import { type InverterFacts, quarter_us } from "../model/availability_fact.ts";
import { claimsOf, type Held } from "../model/inverter_code.ts";
import { minute_us } from "../model/series.ts";
import { listDips, listOverrides, readBits, readCodes } from "../store/availability.ts";
import type { Connection } from "../store/connection.ts";
import { numbersOf, type Stage } from "./availability_load.ts";
import type { GridVoltage, SitePlant, Stream } from "./availability_plant.ts";

/** The claims of each inverter of a stream, in its order. */
export type Claims = readonly (readonly StateSpan[])[];

/** What an inverter said, as it is read. */
type Saying = { readonly status: Held[]; readonly events: Held[] };

type Reading = Stage & { readonly facts: readonly InverterFacts[] };

/** Everything that was said of a stream's inverters. Marks as heard where a status was sent. */
export async function loadClaims(
  session: Connection,
  { plant, stream }: { readonly plant: SitePlant; readonly stream: Stream },
  reading: Reading,
): Promise<Claims> {
  const said = stream.inverters.map((): Saying => ({ status: [], events: [] }));
  await loadCodes(session, stream, { ...reading, said });
  await loadBits(session, stream, { ...reading, said });
  const overrides = await loadOverrides(session, plant, reading);
  const outages = await loadOutages(session, stream, reading);
  const claims: (readonly StateSpan[])[] = [];
  for (const [n, { sensor, codes }] of stream.inverters.entries()) {
    if (n % inverters_at_a_time === 0) await giveWay();
    claims.push([
      ...claimsOf(said[n], { codes, facts: reading.facts[n], scene: reading.scene }),
      ...outages.filter(({ below }) => below.has(n)).flatMap(({ spans }) => spans),
      ...overrides.get(sensor.hierarchy_id) ?? [],
    ]);
  }
  return claims;
}

const inverters_at_a_time = 64;

async function loadCodes(
  session: Connection,
  { inverters }: Stream,
  { range, scene, facts, said }: Reading & { readonly said: readonly Saying[] },
): Promise<void> {
  const by_tag = new Map(
    inverters.flatMap(({ status }, n) => status ? [[status.tag_no, n] as const] : []),
  );
  if (by_tag.size === 0) return;
  const tags = Int32Array.from(by_tag.keys());
  for await (const { rows, vectors } of readCodes(session, { ...range, tags })) {
    const [tag_no, quarter, code, minutes, heard] = vectors.map(numbersOf);
    for (let i = 0; i < rows; i++) {
      const at = quarter[i] - scene.from;
      if (!(scene.light_h[at] > 0)) continue;
      const n = by_tag.get(tag_no[i])!;
      if (heard[i] === 1) facts[n].heard[at] = 1;
      said[n].status.push({ quarter: quarter[i], code: code[i], minutes: minutes[i] });
    }
  }
}

async function loadBits(
  session: Connection,
  { inverters }: Stream,
  { range, scene, said }: Reading & { readonly said: readonly Saying[] },
): Promise<void> {
  const words = inverters.flatMap(({ event_tag_no, codes }, n) =>
    event_tag_no === undefined || codes.events.size === 0 ? [] : [{ n, event_tag_no, codes }]
  );
  if (words.length === 0) return;
  const by_tag = Map.groupBy(words, ({ event_tag_no }) => event_tag_no);
  const bits = words.flatMap(({ event_tag_no, codes }) =>
    Array.from(codes.events.keys(), (bit) => [event_tag_no, bit] as const)
  );
  const rows_of = readBits(session, {
    ...range,
    tags: Int32Array.from(bits, ([tag_no]) => tag_no),
    bits: Int32Array.from(bits, ([, bit]) => bit),
  });
  for await (const { rows, vectors } of rows_of) {
    const [tag_no, quarter, code, minutes] = vectors.map(numbersOf);
    for (let i = 0; i < rows; i++) {
      if (!(scene.light_h[quarter[i] - scene.from] > 0)) continue;
      const held = { quarter: quarter[i], code: code[i], minutes: minutes[i] };
      for (const { n } of by_tag.get(tag_no[i])!) said[n].events.push(held);
    }
  }
}

async function loadOverrides(
  session: Connection,
  { project_no }: SitePlant,
  { scene }: Stage,
): Promise<ReadonlyMap<string, readonly StateSpan[]>> {
  const range = {
    from_us: scene.from * quarter_us,
    to_us: (scene.from + scene.count) * quarter_us,
  };
  const rows = await listOverrides(session, { ...range, project_no });
  const by_inverter = Map.groupBy(rows, ({ hierarchy_id }) => hierarchy_id);
  return new Map(Array.from(by_inverter, ([hierarchy_id, words]) => [
    hierarchy_id,
    words.map(({ from_us, to_us, state, reason, author }) => ({
      from_us,
      to_us,
      ...verdict(state, "override", `${reason} (${author})`),
    })),
  ]));
}

type Outage = { readonly below: ReadonlySet<number>; readonly spans: readonly StateSpan[] };

async function loadOutages(
  session: Connection,
  { voltages }: Stream,
  { range }: Stage,
): Promise<readonly Outage[]> {
  if (voltages.length === 0) return [];
  const dips = await listDips(session, {
    ...range,
    sensors: Int32Array.from(voltages, ({ sensor }) => sensor.sensor_no),
    least_v: voltages.map(({ least_v }) => least_v),
  });
  const by_sensor = Map.groupBy(dips, ({ sensor_no }) => sensor_no);
  return voltages.map((voltage) => ({
    below: new Set(voltage.below),
    spans: spansOf(by_sensor.get(voltage.sensor.sensor_no) ?? [], voltage),
  }));
}

function spansOf(
  dips: readonly { readonly quarter: number; readonly minutes: number }[],
  { detail }: GridVoltage,
): readonly StateSpan[] {
  const spans: StateSpan[] = [];
  for (const { quarter, minutes } of dips) {
    for (let minute = 0; minute < 15; minute++) {
      if ((minutes >> minute & 1) === 0) continue;
      const from_us = quarter * quarter_us + minute * minute_us;
      const last = spans.at(-1);
      if (last?.to_us === from_us) {
        spans[spans.length - 1] = { ...last, to_us: from_us + minute_us };
      } else {
        const said = verdict("out_of_electrical_specification", "grid", detail);
        spans.push({ from_us, to_us: from_us + minute_us, ...said });
      }
    }
  }
  return spans;
}
