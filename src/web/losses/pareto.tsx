// What costs most: causes or inverters in the order of their energy, with what they reach together.
import type { Load } from "../frame/load.ts";
import { all_losses, type Loss } from "../frame/performance.ts";
import { percentText } from "../frame/number.ts";
import { change, param, type PlaceParams } from "../frame/place.ts";
import { deviceOf } from "../frame/plant.ts";
import { apportion, roundingOf, stepOf, stepsText } from "../frame/rounded.ts";
import { say as frameSay } from "../frame/say.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import {
  type Account,
  type Accounts,
  isUnknown,
  lostOf,
  paretoOf,
  sumOfAccounts,
} from "./account.ts";
import { keptParams } from "./account_panel.tsx";
import { say } from "./say.ts";

/** How many ranks are drawn; the table has all of them. */
const most_ranks = 12;

/** What the ranks are of. */
type By = "cause" | "device";

/** The order of causes, or of inverters. */
export function Pareto({ of }: { readonly of: Load<Accounts> }) {
  const by: By = param("pareto") === "device" ? "device" : "cause";
  return (
    <Panel
      title={say().pareto}
      aside={
        <span class="row">
          {(["cause", "device"] as const).map((it) => (
            <button
              type="button"
              aria-pressed={it === by}
              onClick={() => change({ pareto: it === "cause" ? undefined : it })}
            >
              {say()[`pareto_${it}`]}
            </button>
          ))}
        </span>
      }
    >
      <Loaded
        of={of}
        isEmpty={isUnknown}
        empty={say().no_account}
      >
        {(accounts) => <Ranks {...{ accounts, by }} />}
      </Loaded>
    </Panel>
  );
}

function Ranks({ accounts, by }: { readonly accounts: Accounts; readonly by: By }) {
  const ranks = paretoOf(by === "cause" ? byCause(accounts.buckets) : byDevice(accounts.inverters));
  if (ranks.length === 0) return <p class="quiet">{say().nothing_lost}</p>;
  const sum = ranks.reduce((total, { value }) => total + value, 0);
  const rounding = roundingOf(sum, "Wh");
  const steps = apportion(ranks.map(({ value }) => value), stepOf(rounding));
  const drawn = ranks.slice(0, most_ranks);
  const named = (key: string) => nameOf(key, by);
  return (
    <>
      <ol class="pareto">
        {drawn.map(({ key, value, reached }, i) => (
          <li key={key}>
            <Link page="losses" params={paramsOf(key, by)}>{named(key)}</Link>
            <span class="track" aria-hidden="true">
              <i
                class={`share ${by === "cause" ? key : "unavailability"}`}
                style={{ width: `${100 * value / sum}%` }}
              />
              <u style={{ left: `${100 * reached}%` }} />
            </span>
            <span class="number">
              {stepsText(steps[i], rounding)} {rounding.unit}
            </span>
            <span class="number quiet">{percentText(reached, 0)}</span>
          </li>
        ))}
      </ol>
      <p class="quiet small">{say().pareto_help}</p>
      <DataTable
        columns={[say()[`pareto_${by}`], rounding.unit, say().reached]}
        length={ranks.length}
        row={(i) => [
          named(ranks[i].key),
          stepsText(steps[i], rounding),
          percentText(ranks[i].reached),
        ]}
      />
    </>
  );
}

function nameOf(key: string, by: By): string {
  return by === "cause" ? frameSay()[`loss_${key as Loss}`] : deviceOf(key)?.name ?? key;
}

function paramsOf(key: string, by: By): PlaceParams {
  const kept = { ...keptParams(), pareto: param("pareto") };
  return by === "cause" ? { ...kept, part: key } : { ...kept, device: deviceOf(key)?.key };
}

/** Energy by loss. */
export function byCause(buckets: readonly Account[]): Map<string, number> {
  const sum = sumOfAccounts(buckets);
  return new Map(all_losses.map((loss) => [loss, sum[loss]]));
}

function byDevice(inverters: readonly Account[]): Map<string, number> {
  return new Map(inverters.map((account) => [account.key, lostOf(account)]));
}
