// What the sentence about an inverter is made of, from what is loaded of it.
import type { Load } from "../frame/load.ts";
import { percentText, quantityText } from "../frame/number.ts";
import type { Device } from "../frame/plant.ts";
import { zone } from "../frame/session.ts";
import { dateText, dayOf, timeText } from "../frame/zone.ts";
import { moment_ms } from "../frame/clock.ts";
import type { DeviceEvidence } from "./device_data.ts";
import { sumCells } from "./judge.ts";
import type { MapData } from "./map_data.ts";
import { isOpenIssue, type IssueRow, type ShownAlarm } from "./past.ts";
import { type MapSpan, shownDay } from "./view.ts";
import type { WhyFacts, WhyFormat } from "./why.ts";

/** What is loaded of an inverter. */
type Loads = {
  readonly map: Load<MapData>;
  readonly evidence: Load<DeviceEvidence>;
  readonly alarms: Load<readonly ShownAlarm[]>;
  readonly issues: Load<readonly IssueRow[]>;
};

/** The facts of some time; undefined until they are there. */
export function factsOf(device: Device, span: MapSpan, loads: Loads): WhyFacts | undefined {
  const [map, evidence] = [loads.map.data, loads.evidence.data];
  const [alarms, issues] = [loads.alarms.data, loads.issues.data];
  if (!map || !evidence || !alarms || !issues) return undefined;
  const { devices, cells, grid: { starts, ends, known } } = map;
  const row = devices.findIndex(({ device_id }) => device_id === device.device_id);
  const count = starts.length;
  const inside = [...starts.keys()].filter((i) =>
    i < known && ends[i] > span.from_ms && starts[i] < span.to_ms
  );
  const [first, end] = inside.length > 0 ? [inside[0], inside.at(-1)! + 1] : [0, 0];
  const sum = sumCells(cells, { row, count, first, end });
  const places = inside.map((column) => row * count + column);
  return {
    ...span,
    ...sum,
    until_ms: moment_ms.value,
    is_early: places.length === 0 && span.from_ms <= moment_ms.value &&
      span.to_ms > moment_ms.value && evidence.states.length > 0,
    is_dark: places.every((i) => cells.is_dark[i] === 1),
    is_measured: places.some((i) => !Number.isNaN(cells.measured[i])),
    states: evidence.states,
    losses: evidence.losses,
    alarms: alarms.filter(({ raised_ms, cleared_ms = Infinity }) =>
      raised_ms < span.to_ms && cleared_ms > span.from_ms
    ),
    issues: issues.filter(isOpenIssue),
  };
}

/** When the cell of some time starts that lost most; undefined where none can be told of. */
export function worstCell(
  device: Device,
  { from_ms, to_ms }: MapSpan,
  { devices, cells, grid: { starts, known } }: MapData,
): number | undefined {
  const row = devices.findIndex(({ device_id }) => device_id === device.device_id);
  const inside = [...starts.keys()].filter((i) =>
    i < known && starts[i] >= from_ms && starts[i] < to_ms
  );
  const lost = (column: number) => cells.lost_wh[row * starts.length + column] || 0;
  const worst = inside.toSorted((a, b) => lost(b) - lost(a))[0];
  return worst === undefined ? undefined : starts[worst];
}

/** Numbers and times of the sentence, in the plant's zone. */
export const why_format: WhyFormat = {
  percent: (part) => percentText(part, 0),
  energy: (wh) => quantityText(wh, "Wh"),
  time(at_ms) {
    const time = timeText(at_ms, zone.value);
    const is_today = dayOf(at_ms, zone.value) === shownDay() && at_ms <= moment_ms.value;
    return is_today ? time : `${dateText(at_ms, zone.value)}, ${time}`;
  },
};
