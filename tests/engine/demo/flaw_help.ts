// What can be wrong with the demo's answers: each check gives a sentence, or undefined for nothing.
import type { DemoAlarm, Moment } from "./story_help.ts";

/** What is wrong with some rows. */
type Flaw<Row> = (rows: readonly Row[]) => string | undefined;

type DayRow = {
  readonly ts: string;
  readonly sensor_tag: string | null;
  readonly sensor_value: number | null;
  readonly performance_index_matched: number | null;
  readonly performance_index_setpoint_matched: number | null;
  readonly coverage: number | null;
};

/** A day of which less is known can look like anything. */
const told_coverage = 0.5;

/** Every day has power, near what is expected of its minutes; under a setpoint the more so. */
export function daysFlaw(days: number): Flaw<DayRow> {
  return (rows) => {
    const sunny = rows.filter(({ sensor_value }) => (sensor_value ?? 0) > 0);
    if (sunny.length < days) return `${sunny.length} days with power, ${days} were expected`;
    for (const row of sunny) {
      const { ts, performance_index_matched: plain, coverage } = row;
      const { performance_index_setpoint_matched: curbed } = row;
      if (!(coverage! >= 0 && coverage! <= 1)) return `a coverage of ${coverage} on ${ts}`;
      if (coverage! < told_coverage) continue;
      if (!(curbed! > 0.8 && curbed! < 1.1)) return `an index of ${curbed} on ${ts}`;
      if (curbed! < plain! - 1e-9) return `an index of ${curbed} under the setpoint on ${ts}`;
    }
    return undefined;
  };
}

/** Each inverter gives what is expected of it on the days on which nothing stopped it. */
export function invertersFlaw(downDays: ReadonlySet<string>): Flaw<DayRow> {
  return (rows) => {
    const strange = rows.find((row) => {
      const { ts, sensor_tag, coverage, performance_index_setpoint_matched: index } = row;
      if (downDays.has(`${sensor_tag!.slice(0, 6)} ${ts.slice(0, 10)}`)) return false;
      return coverage! >= told_coverage && !(index! > 0.8 && index! < 1.1);
    });
    return strange && `an inverter's strange day: ${JSON.stringify(strange)}`;
  };
}

type AvailabilityRow = { readonly availability: number | null };

/** Little of the plant was lost to outages. */
export function availabilityFlaw([row]: readonly AvailabilityRow[]): string | undefined {
  const { availability } = row;
  if (availability !== null && availability > 0.8 && availability <= 1) return undefined;
  return `an availability of ${availability}`;
}

type SpanRow = {
  readonly device_name: string;
  readonly from: string;
  readonly to: string;
  readonly state: string;
};

/** Every incident shows by its name. */
export function timelineFlaw(moments: readonly Moment[]): Flaw<SpanRow> {
  return (rows) => {
    const spans = Map.groupBy(rows, (row) => row.device_name);
    for (const { kind, inverter, at_us, states } of moments) {
      const at = new Date(at_us / 1000).toISOString();
      const name = `Inverter ${inverter + 1}`;
      const found = spans.get(name)?.find((span) => span.from <= at && at < span.to);
      if (found && states.some((state) => state === found.state)) continue;
      return `${name} is ${found?.state} at ${at}, in the middle of a ${kind}`;
    }
    const curbed = moments.some(({ kind }) => kind === "curtailment");
    const seen = rows.some((row) => row.state === "service_setpoint");
    return curbed && !seen ? "no inverter is ever under a setpoint" : undefined;
  };
}

type LossRow = Readonly<
  Record<
    | "expected_energy"
    | "produced_energy"
    | "unavailability_loss"
    | "curtailment_loss"
    | "clipping_loss"
    | "other_loss",
    number | null
  >
>;

/** The parts come to the whole. */
export function lossFlaw(rows: readonly LossRow[]): string | undefined {
  const known = rows.filter((row) => row.expected_energy !== null);
  if (known.length === 0) return "no day has an account";
  const strange = known.find(({ expected_energy, ...row }) => {
    const parts = row.produced_energy! + row.unavailability_loss! + row.curtailment_loss! +
      row.clipping_loss! + row.other_loss!;
    return !(Math.abs(parts - expected_energy!) <= 1e-9 * expected_energy! + 1e-3);
  });
  return strange && `an account that does not add up: ${JSON.stringify(strange)}`;
}

type ForecastRow = {
  readonly ts: string;
  readonly forecast_value: number | null;
  readonly forecast_lead_time_minutes: number | null;
};

/** The morning's run reaches to the end of the day. */
export function forecastFlaw(rows: readonly ForecastRow[]): string | undefined {
  const told = rows.filter((row) => row.forecast_value !== null);
  // The run is made at 4 o'clock by the sun, which clocks may show as 6 and more.
  if (told.length < 16) return `${told.length} hours of today are forecast`;
  const strange = told.find((row) => !(row.forecast_lead_time_minutes! > 0));
  return strange && `a forecast for ${strange.ts} from after its beginning`;
}

type AlarmRow = Readonly<Record<"rule_name" | "source_tag" | "raised_at", string>> & {
  readonly cleared_at: string | null;
};

/** Every incident has its alarm, at its time, and no alarm of these rules is without a cause. */
export function alarmFlaw(alarms: readonly DemoAlarm[]): Flaw<AlarmRow> {
  return (rows) => {
    const found = rows.map(({ raised_at, cleared_at, ...row }) => ({
      ...row,
      raised_us: Date.parse(raised_at) * 1000,
      cleared_us: cleared_at === null ? Infinity : Date.parse(cleared_at) * 1000,
    }));
    const isOf = (alarm: DemoAlarm) => (row: Pick<AlarmRow, "rule_name" | "source_tag">) =>
      row.rule_name === alarm.rule_name && row.source_tag === alarm.source_tag;
    for (const alarm of alarms.filter(({ certain }) => certain)) {
      const { from_us, to_us, slack_us } = alarm;
      const within = (us: number, after_us: number) => us >= after_us && us <= after_us + slack_us;
      const told = found.filter(isOf(alarm)).some(({ raised_us, cleared_us }) =>
        within(raised_us, from_us) && within(cleared_us, to_us)
      );
      if (told) continue;
      return `no alarm of the ${alarm.kind} of ${alarm.source_tag} at ${isoText(from_us)}`;
    }
    const rules = new Set(alarms.map(({ rule_name }) => rule_name));
    const idle = found.filter(({ rule_name }) => rules.has(rule_name)).find((row) =>
      !alarms.some((alarm) =>
        isOf(alarm)(row) && row.raised_us <= alarm.to_us + alarm.slack_us &&
        row.cleared_us >= alarm.from_us
      )
    );
    return idle && `an alarm without a cause: ${JSON.stringify(idle)}`;
  };
}

function isoText(us: number): string {
  return new Date(us / 1000).toISOString();
}

type IssueRow = { readonly source: string; readonly work_orders: readonly unknown[] };

/** After a trip there is an issue from its alarm, with a work order. */
export function issueFlaw({ had_trip }: { readonly had_trip: boolean }): Flaw<IssueRow> {
  return (rows) => {
    const [issue] = rows;
    if (issue === undefined) return had_trip ? "there is no issue" : undefined;
    if (issue.source !== "alarm") return `an issue from ${issue.source}`;
    return issue.work_orders.length === 1 ? undefined : `${issue.work_orders.length} work orders`;
  };
}
