// The losses of each day, week or month, stacked; a stack opens its days.
import type { Load } from "../frame/load.ts";
import { all_losses } from "../frame/performance.ts";
import { percentText } from "../frame/number.ts";
import { type PlaceParams } from "../frame/place.ts";
import { axisText, type Rounding, stepOf, stepsText } from "../frame/rounded.ts";
import { say as frameSay } from "../frame/say.ts";
import { zone } from "../frame/session.ts";
import { dateText, dayStart, daysText, monthText } from "../frame/zone.ts";
import { Columns, Shares } from "../parts/columns.tsx";
import { DataTable } from "../parts/data_table.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { account_parts, type Accounts, figuresOf, isUnknown, lostShare } from "./account.ts";
import { keptParams, roundingOfAccounts } from "./account_panel.tsx";
import { bucketDays, type Range } from "./range.ts";
import { say } from "./say.ts";
import { nothing_selected } from "./view.ts";

/** The losses by bucket. */
export function LossesByTime({ of, range }: {
  readonly of: Load<Accounts>;
  readonly range: Range;
}) {
  const rounding = roundingOfAccounts(of.data?.buckets);
  return (
    <Panel title={`${say()[`by_${range.interval}`]}, ${rounding.unit}`}>
      <Loaded of={of} isEmpty={isUnknown} empty={say().no_account}>
        {({ buckets }) => (
          <>
            <LossColumns {...{ buckets, range, rounding }} />
            <AccountTable {...{ buckets, range, rounding }} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

type BucketsProps = {
  readonly buckets: Accounts["buckets"];
  readonly range: Range;
  readonly rounding: Rounding;
};

/** The stacks alone. */
export function LossColumns({ buckets, range, rounding }: BucketsProps) {
  const { rows } = figuresOf(buckets, stepOf(rounding));
  const shown = all_losses.filter((loss) => buckets.some((it) => it[loss] > 0));
  return (
    <>
      <Shares of={shown.map((loss) => [loss, frameSay()[`loss_${loss}`]])} />
      <Columns
        label={say()[`by_${range.interval}`]}
        page="losses"
        text={(value, greatest) => axisText(value, greatest, rounding)}
        columns={buckets.map((account, i) => ({
          key: account.key,
          label: bucketLabel(account.key, range),
          title: `${daysText(bucketDays(account.key, range))}: ${
            Number.isNaN(account.expected) ? frameSay().no_data : say().lost_of(
              `${stepsText(rows[i].lost, rounding)} ${rounding.unit}`,
              percentText(lostShare(account)),
            )
          }`,
          params: bucketParams(account.key, range),
          parts: shown.map((kind) => ({ kind, value: account[kind] })),
          is_unknown: Number.isNaN(account.expected),
        }))}
      />
    </>
  );
}

/** A bucket's name on its axis. */
export function bucketLabel(start: string, { interval }: Range): string {
  const text = dateText(dayStart(start, zone.value), zone.value);
  return interval === "OneMonth" ? monthText(start).slice(0, 3) : text;
}

/** The address of what a bucket is made of: its days, or of one day the evidence. */
export function bucketParams(start: string, range: Range): PlaceParams {
  const kept = { ...keptParams(), ...nothing_selected };
  if (range.interval === "OneDay") return { ...kept, day: start };
  return { ...kept, range: undefined, ...bucketDays(start, range) };
}

function AccountTable({ buckets, range, rounding }: BucketsProps) {
  const { rows, total } = figuresOf(buckets, stepOf(rounding));
  const names = ["expected", ...account_parts] as const;
  const all = [...rows, total];
  return (
    <DataTable
      columns={[
        say().days,
        ...names.map((name) => `${frameSay()[`loss_${name}`]}, ${rounding.unit}`),
      ]}
      length={all.length}
      row={(i) => [
        i < buckets.length ? daysText(bucketDays(buckets[i].key, range)) : say().total,
        ...names.map((name) =>
          Number.isNaN(buckets[i]?.expected) ? percentText(NaN) : stepsText(all[i][name], rounding)
        ),
      ]}
    />
  );
}
