// How much of the month was measured, what is missing, and what each figure means.
import type { Load } from "../frame/load.ts";
import { percentText, quantityText } from "../frame/number.ts";
import { Loaded } from "../parts/panel.tsx";
import { type Accounts, sumOfAccounts } from "../losses/account.ts";
import { type Availabilities, knownShare, sumOfAvailabilities } from "../losses/availability.ts";
import { inverterRows } from "../losses/by_device.tsx";
import { lengthOf, type Range } from "../losses/range.ts";
import type { useIndexOf } from "./data.ts";
import { say } from "./say.ts";

/** Below this share of the daylight a day is named as badly measured. */
const least_coverage = 0.9;

/** The coverage of the data, and what is in no sum. */
export function Coverage({ accounts, availability, index, range }: {
  readonly accounts: Load<Accounts>;
  readonly availability: Load<Availabilities>;
  readonly index: ReturnType<typeof useIndexOf>;
  readonly range: Range;
}) {
  return (
    <section>
      <h3>{say().data}</h3>
      <Loaded of={accounts}>
        {({ buckets, inverters }) => {
          const known = knownShare(sumOfAvailabilities(availability.data?.buckets ?? []));
          const days = lengthOf(range);
          const with_account = buckets.filter(({ expected }) => !Number.isNaN(expected)).length;
          const poor = index.data?.day_coverage.filter((it) => !(it >= least_coverage)).length;
          const partial = inverterRows(inverters, []).filter(({ account }) => account.is_partial);
          const { unmeasured } = sumOfAccounts(buckets);
          return (
            <ul>
              <li>{say().data_measured(percentText(index.data?.coverage))}</li>
              <li>{say().data_states(percentText(known))}</li>
              <li>{say().data_days(with_account, days)}</li>
              {poor !== undefined && poor > 0 && (
                <li>{say().data_poor(poor, percentText(least_coverage, 0))}</li>
              )}
              {partial.length > 0 && (
                <li>
                  {partial.length === inverters.length
                    ? say().data_partial_all
                    : say().data_partial(partial.map(({ name }) => name).join(", "))}
                </li>
              )}
              {unmeasured > 0 && <li>{say().data_unmeasured(quantityText(unmeasured, "Wh"))}</li>}
            </ul>
          );
        }}
      </Loaded>
    </section>
  );
}

const defined = [
  "expected",
  "produced",
  "index",
  "coverage",
  "availability",
  "known",
  "unavailability",
  "grid",
  "curtailment",
  "clipping",
  "derate",
  "dc",
  "declared",
  "other",
  "cost",
  "rounding",
] as const;

/** Each figure in a sentence. */
export function Definitions() {
  return (
    <section class="definitions">
      <h3>{say().definitions}</h3>
      <ul>{defined.map((name) => <li key={name}>{say()[`define_${name}`]}</li>)}</ul>
    </section>
  );
}
