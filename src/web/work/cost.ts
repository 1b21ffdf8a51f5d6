// What a fault cost: the energy that its inverters lost while it lasted, by cause. Pure.
import type { LossPart } from "../../model/availability/loss.ts";
import type { Device } from "../frame/plant.ts";
import type { Issue } from "./item.ts";

/** A stretch of an inverter in which energy was lost, as the service has it. */
export type LossSpan = {
  readonly hierarchy_id: string;
  readonly from_ms: number;
  readonly to_ms: number;
  readonly part: LossPart;
  readonly energy_wh: number;
};

/** An inverter of a fault, and the time that counts. */
export type Affected = {
  readonly device: Device;
  readonly from_ms: number;
  readonly to_ms: number;
};

/** What a fault cost. */
export type Cost = {
  /** Without what was not measured. */
  readonly lost_wh: number;
  /** The greatest first. */
  readonly parts: readonly { readonly part: LossPart; readonly energy_wh: number }[];
  /** Expected, but nothing was measured of it: it may have been produced. */
  readonly unmeasured_wh: number;
};

/** Losses are reckoned by quarter-hours that are over. */
const quarter_ms = 15 * 60_000;

/** They may come this much later. */
const late_ms = 5 * 60_000;

/**
 * Until when losses are reckoned, within what counts: to the end of the quarter-hours that are over
 * for sure, or of the last loss that is there. NaN while that is before all of it.
 */
export function reckonedTo(
  spans: readonly LossSpan[],
  { affected, moment_ms }: { readonly affected: readonly Affected[]; readonly moment_ms: number },
): number {
  const sure_ms = Math.floor((moment_ms - late_ms) / quarter_ms) * quarter_ms;
  const last_ms = Math.max(
    sure_ms,
    ...spans.filter(({ to_ms }) => to_ms <= moment_ms).map(({ to_ms }) => to_ms),
  );
  const [from_ms, to_ms] = [
    Math.min(...affected.map((it) => it.from_ms)),
    Math.max(...affected.map((it) => it.to_ms)),
  ];
  return last_ms <= from_ms ? NaN : Math.min(last_ms, to_ms);
}

/** The inverters that an issue's devices are or have below them, each with its time. */
export function affectedOf(
  issue: Pick<Issue, "devices" | "effective_from" | "effective_to">,
  { devices, moment_ms }: { readonly devices: readonly Device[]; readonly moment_ms: number },
): readonly Affected[] {
  const found = new Map<string, Affected>();
  for (const { device_id, effective_from, effective_to } of issue.devices) {
    const from = effective_from ?? issue.effective_from;
    const to = effective_to ?? issue.effective_to;
    if (from === null) continue;
    const from_ms = Date.parse(from);
    const to_ms = Math.min(to === null ? moment_ms : Date.parse(to), moment_ms);
    if (to_ms <= from_ms) continue;
    for (const device of invertersBelow(device_id, devices)) {
      const before = found.get(device.device_id);
      found.set(device.device_id, {
        device,
        from_ms: Math.min(from_ms, before?.from_ms ?? Infinity),
        to_ms: Math.max(to_ms, before?.to_ms ?? -Infinity),
      });
    }
  }
  return [...found.values()];
}

/** A device where it is an inverter, else those below it. */
function invertersBelow(device_id: string, all: readonly Device[]): readonly Device[] {
  const parents = new Map(all.map((device) => [device.device_id, device.parent_id]));
  const isBelow = (id: string | null | undefined): boolean =>
    id === device_id || id !== null && id !== undefined && isBelow(parents.get(id));
  return all.filter(({ type, device_id: id }) => type === "inverter" && isBelow(id));
}

/** The sum of what was lost; of a span that lies partly outside its inverter's time, that share. */
export function costOf(spans: readonly LossSpan[], affected: readonly Affected[]): Cost {
  const times = new Map(affected.map((it) => [it.device.hierarchy_id, it]));
  const sums = new Map<LossPart, number>();
  for (const { hierarchy_id, from_ms, to_ms, part, energy_wh } of spans) {
    const time = times.get(hierarchy_id);
    if (time === undefined) continue;
    const inside_ms = Math.min(to_ms, time.to_ms) - Math.max(from_ms, time.from_ms);
    if (inside_ms <= 0) continue;
    sums.set(part, (sums.get(part) ?? 0) + energy_wh * inside_ms / (to_ms - from_ms));
  }
  const { unmeasured = 0, ...lost } = Object.fromEntries(sums) as Partial<
    Record<LossPart, number>
  >;
  const parts = Object.entries(lost)
    .map(([part, energy_wh]) => ({ part: part as LossPart, energy_wh }))
    .toSorted((a, b) => b.energy_wh - a.energy_wh);
  const lost_wh = parts.reduce((sum, { energy_wh }) => sum + energy_wh, 0);
  return { lost_wh, parts, unmeasured_wh: unmeasured };
}
