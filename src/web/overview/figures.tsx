// The row of figures above the overview: the plant in one look.
import { moment_minute_ms } from "../frame/clock.ts";
import { numberText, percentText, quantityText } from "../frame/number.ts";
import { sumOf } from "../frame/performance.ts";
import { devicesOf } from "../frame/plant.ts";
import { say as frameSay } from "../frame/say.ts";
import { zone } from "../frame/session.ts";
import { dayOf, dayStart, instantText, timeText } from "../frame/zone.ts";
import { Figure } from "../parts/figure.tsx";
import { ofExpected } from "./expected.ts";
import { useNow } from "./now.ts";
import { producingSince } from "./out.ts";
import { say } from "./say.ts";
import type { useAccountToday, useEnergyToday, usePowerToday } from "./today.ts";

type FiguresProps = {
  readonly power: ReturnType<typeof usePowerToday>;
  readonly energy: ReturnType<typeof useEnergyToday>;
  readonly account: ReturnType<typeof useAccountToday>;
};

/** The day's figures, each with what it stands on. */
export function Figures({ power, energy, account }: FiguresProps) {
  return (
    <div class="key-figures">
      <PowerNow {...{ power }} />
      <EnergySoFar {...{ energy }} />
      <Index {...{ energy }} />
      <Figure
        name={say().availability}
        help={say().availability_help}
        value={percentText(account.data?.availability)}
        filled={account.data?.availability}
      />
      <Irradiance {...{ power }} />
      <Producing />
    </div>
  );
}

/** What is so much older than the moment says its time. */
const old_ms = 10 * 60_000;

/** What is expected may come so many minutes later: then both are told of its last minute. */
const most_behind = 5;

function PowerNow({ power: { data } }: Pick<FiguresProps, "power">) {
  const measured_at = lastKnown(data?.actual);
  const expected_at = lastKnown(data?.expected);
  const at = expected_at > measured_at - most_behind
    ? Math.min(measured_at, expected_at)
    : measured_at;
  const [actual, expected, allowed] = [data?.actual[at], data?.expected[at], data?.allowed[at]];
  const is_limited = (allowed ?? NaN) < 0.99 * (expected ?? NaN);
  const rated = devicesOf("inverter").reduce((sum, { rated_w }) => sum + (rated_w ?? 0), 0);
  return (
    <Figure
      name={say().power_now}
      value={quantityText(actual, "W")}
      beside={ofExpected(expected, "W")}
      below={ageOf(data?.instants[at]) ?? (is_limited && say().limited(quantityText(allowed, "W")))}
      filled={(actual ?? 0) / rated}
      mark={(expected ?? 0) / rated}
    />
  );
}

function EnergySoFar({ energy: { data } }: Pick<FiguresProps, "energy">) {
  const [measured, expected] = [sumOf(data?.measured ?? []), sumOf(data?.expected ?? [])];
  const end_ms = data ? data.instants[data.length - 1] + 900_000 : NaN;
  return (
    <Figure
      name={say().energy_so_far}
      value={quantityText(measured, "Wh")}
      beside={ofExpected(expected, "Wh")}
      below={data && data.length > 0 && say().until(timeText(end_ms, zone.value))}
      filled={measured / Math.max(measured, expected)}
      mark={expected / Math.max(measured, expected)}
    />
  );
}

function Index({ energy: { data } }: Pick<FiguresProps, "energy">) {
  const index = sumOf(data?.measured_matched ?? []) / sumOf(data?.allowed_matched ?? []);
  const coverage = sumOf(data?.coverage ?? []) / (data?.length ?? 0);
  return (
    <Figure
      name={frameSay().matched_index}
      help={frameSay().matched_index_help}
      value={percentText(index)}
      below={Number.isFinite(coverage) && say().coverage(percentText(coverage, 0))}
      filled={index}
      mark={1}
    />
  );
}

function Irradiance({ power: { data } }: Pick<FiguresProps, "power">) {
  const at = lastKnown(data?.irradiance);
  const value = data?.irradiance[at];
  return (
    <Figure
      name={say().irradiance}
      value={numberText(value)}
      beside={`W/m² ${say().in_plane}`}
      below={ageOf(data?.instants[at])}
      filled={(value ?? 0) / 1000}
    />
  );
}

/** By the newest values of the day; of those that sent none nothing is known. */
function Producing() {
  const powers = [...useNow().values()].flatMap(({ newest }) => newest ?? []);
  const day_ms = dayStart(dayOf(moment_minute_ms.value, zone.value), zone.value);
  const { count, newest_ms } = producingSince(powers, day_ms);
  const all = devicesOf("inverter").length;
  const isKnown = !Number.isNaN(count);
  return (
    <Figure
      name={say().inverters}
      value={isKnown ? `${numberText(count)} / ${numberText(all)}` : numberText(NaN)}
      beside={say().producing}
      below={powers.length > 0 && (isKnown
        ? say().at(timeText(newest_ms, zone.value))
        : say().last_value(instantText(newest_ms, zone.value)))}
      filled={count / all}
    />
  );
}

/** Of when a value is that is not of now. */
function ageOf(instant_ms: number | undefined): string | undefined {
  if (instant_ms === undefined || instant_ms > moment_minute_ms.value - old_ms) return undefined;
  return say().at(timeText(instant_ms, zone.value));
}

/** The place of the last value that is known; -1 where none is. */
function lastKnown(values: Float64Array | undefined): number {
  return values?.findLastIndex((value) => !Number.isNaN(value)) ?? -1;
}
