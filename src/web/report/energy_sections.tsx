// Energy of the month: its figures, the loss account, each day, and the worst inverters.
import type { Load } from "../frame/load.ts";
import { percentText } from "../frame/number.ts";
import { apportion, axisText, type Rounding, stepOf, stepsText } from "../frame/rounded.ts";
import { say as frameSay } from "../frame/say.ts";
import { daysText } from "../frame/zone.ts";
import { Columns, Shares } from "../parts/columns.tsx";
import { Figure } from "../parts/figure.tsx";
import { Link } from "../parts/message.tsx";
import { Loaded } from "../parts/panel.tsx";
import { Waterfall } from "../parts/waterfall.tsx";
import {
  account_parts,
  type Accounts,
  figuresOf,
  lostShare,
  sumOfAccounts,
} from "../losses/account.ts";
import { roundingOfAccounts } from "../losses/account_panel.tsx";
import {
  type Availabilities,
  availableShare,
  knownShare,
  sumOfAvailabilities,
} from "../losses/availability.ts";
import { inverterRows, LossBar, sorted } from "../losses/by_device.tsx";
import { bucketLabel } from "../losses/by_time.tsx";
import type { Range } from "../losses/range.ts";
import type { useIndexOf } from "./data.ts";
import { say } from "./say.ts";

/** How many inverters are named. */
const most_inverters = 8;

type EnergyProps = {
  readonly accounts: Load<Accounts>;
  readonly availability: Load<Availabilities>;
};

/** The month in one look. */
export function Summary({ accounts, availability, index }: EnergyProps & {
  readonly index: ReturnType<typeof useIndexOf>;
}) {
  const buckets = accounts.data?.buckets ?? [];
  const rounding = roundingOfAccounts(buckets);
  const { total } = figuresOf(buckets, stepOf(rounding));
  const is_known = sumOfAccounts(buckets).expected > 0;
  const energy = (steps: number) => is_known ? stepsText(steps, rounding) : percentText(NaN);
  const shares = sumOfAvailabilities(availability.data?.buckets ?? []);
  return (
    <section class="figures">
      <Figure name={say().expected} value={energy(total.expected)} beside={rounding.unit} />
      <Figure name={say().produced} value={energy(total.produced)} beside={rounding.unit} />
      <Figure
        name={frameSay().matched_index}
        help={frameSay().matched_index_help}
        value={percentText(index.data?.index)}
        below={index.data && frameSay().coverage(percentText(index.data.coverage, 0))}
      />
      <Figure
        name={say().availability}
        value={percentText(availableShare(shares), 2)}
        below={say().known(percentText(knownShare(shares), 0))}
      />
    </section>
  );
}

/** The loss account, the days, and the worst inverters. */
export function EnergySections({ accounts, availability, range }: EnergyProps & {
  readonly range: Range;
}) {
  const rounding = roundingOfAccounts(accounts.data?.buckets);
  return (
    <Loaded
      of={accounts}
      isEmpty={({ buckets }) => !(sumOfAccounts(buckets).expected > 0)}
      empty={say().no_account}
    >
      {(found) => (
        <>
          <LossAccount of={found} rounding={rounding} />
          <Days of={found} range={range} rounding={rounding} />
          <Worst of={found} {...{ availability, rounding, range }} />
        </>
      )}
    </Loaded>
  );
}

type SectionProps = { readonly of: Accounts; readonly rounding: Rounding };

function LossAccount({ of: { buckets }, rounding }: SectionProps) {
  const sum = sumOfAccounts(buckets);
  const shown = account_parts.filter((part) => part === "other" || sum[part] !== 0);
  // A thousand steps of 0.1 %, so that the percentages add up to 100 as the energies do.
  const shares = apportion(shown.map((part) => sum[part]), sum.expected / 1000, 1000);
  return (
    <section>
      <h3>{say().account} ({rounding.unit})</h3>
      <Waterfall
        expected={sum.expected}
        produced={sum.produced}
        losses={sum}
        rounding={rounding}
      />
      <p class="small">
        {say().of_expected}:{" "}
        {shown.map((part, i) => `${frameSay()[`loss_${part}`]} ${percentText(shares[i] / 1000)}`)
          .join(" · ")}
      </p>
    </section>
  );
}

function Days({ of: { buckets }, range, rounding }: SectionProps & { readonly range: Range }) {
  const parts = account_parts.filter((part) => buckets.some((it) => it[part] > 0));
  const { rows } = figuresOf(buckets, stepOf(rounding));
  const text = (steps: number) => stepsText(steps, rounding);
  return (
    <section>
      <h3>{say().by_day} ({rounding.unit})</h3>
      <Shares of={parts.map((part) => [part, frameSay()[`loss_${part}`]])} />
      <Columns
        label={say().by_day}
        page="losses"
        text={(value, greatest) => axisText(value, greatest, rounding)}
        columns={buckets.map((account, i) => ({
          key: account.key,
          label: bucketLabel(account.key, range),
          title: `${daysText({ from: account.key, to: account.key })}: ${
            Number.isNaN(account.expected)
              ? frameSay().no_data
              : say().day_of(text(rows[i].produced), text(rows[i].expected), rounding.unit)
          }`,
          params: { from: account.key, to: account.key, day: account.key },
          parts: parts.map((kind) => ({ kind, value: account[kind] })),
          is_unknown: Number.isNaN(account.expected),
        }))}
      />
    </section>
  );
}

function Worst({ of: { inverters }, rounding, availability, range }: SectionProps & {
  readonly availability: Load<Availabilities>;
  readonly range: Range;
}) {
  const rows = sorted(inverterRows(inverters, availability.data?.inverters ?? []), "share");
  const figures = figuresOf(rows.map(({ account }) => account), stepOf(rounding));
  const shown = rows.slice(0, most_inverters);
  const rest = rows.length - shown.length;
  const most = Math.max(...rows.map(({ account }) => account.expected - account.produced || 0), 1);
  const lost = figures.rows.slice(shown.length).reduce((sum, row) => sum + row.lost, 0);
  const { from, to } = range;
  return (
    <section>
      <h3>{say().worst}</h3>
      <div class="wide-table" tabIndex={0} role="region" aria-label={say().worst}>
        <table>
          <thead>
            <tr>
              <th scope="col">{say().inverter}</th>
              <th scope="col" class="number">{say().lost} ({rounding.unit})</th>
              <th scope="col" class="number">{say().of_expected}</th>
              <th scope="col">{say().lost_to}</th>
              <th scope="col" class="number">{say().availability}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ key, name, device, account, availability }, i) => (
              <tr key={key}>
                <th scope="row">
                  <Link page="losses" params={{ device, from, to }}>{name}</Link>
                </th>
                <td class="number">{stepsText(figures.rows[i].lost, rounding)}</td>
                <td class="number">{percentText(lostShare(account))}</td>
                <td class="parts">
                  <LossBar of={account} most={most} />
                </td>
                <td class="number">
                  {percentText(availability ? availableShare(availability) : NaN, 2)}
                </td>
              </tr>
            ))}
            {rest > 0 && (
              <tr>
                <th scope="row">{say().others(rest)}</th>
                <td class="number">{stepsText(lost, rounding)}</td>
                <td colSpan={3} />
              </tr>
            )}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{say().total}</th>
              <td class="number">{stepsText(figures.total.lost, rounding)}</td>
              <td class="number">{percentText(lostShare(sumOfAccounts(inverters)))}</td>
              <td colSpan={2} />
            </tr>
          </tfoot>
        </table>
      </div>
    </section>
  );
}
