// From expected to produced energy over the range, in figures and as a waterfall.
import type { Load } from "../frame/load.ts";
import { percentText } from "../frame/number.ts";
import { param } from "../frame/place.ts";
import { type Rounding, roundingOf, stepOf, stepsText } from "../frame/rounded.ts";
import { Export } from "../parts/export.tsx";
import { Figure } from "../parts/figure.tsx";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Waterfall } from "../parts/waterfall.tsx";
import { Views } from "../views/views.tsx";
import {
  type Account,
  type Accounts,
  figuresOf,
  isUnknown,
  lostShare,
  sumOfAccounts,
} from "./account.ts";
import {
  type Availabilities,
  availableShare,
  knownShare,
  sumOfAvailabilities,
} from "./availability.ts";
import { losses_path, lossQuery } from "./data.ts";
import type { Range } from "./range.ts";
import { say } from "./say.ts";

/** How energies of the page are rounded: all of them alike. */
export function roundingOfAccounts(accounts: readonly Account[] = []): Rounding {
  return roundingOf(sumOfAccounts(accounts).expected, "Wh");
}

/** The range's figures. */
export function RangeFigures({ accounts, availability }: {
  readonly accounts: Load<Accounts>;
  readonly availability: Load<Availabilities>;
}) {
  const buckets = accounts.data?.buckets;
  const rounding = roundingOfAccounts(buckets);
  const { total } = figuresOf(buckets ?? [], stepOf(rounding));
  const sum = sumOfAccounts(buckets ?? []);
  const text = (steps: number) => sum.expected > 0 ? stepsText(steps, rounding) : percentText(NaN);
  const shares = sumOfAvailabilities(availability.data?.buckets ?? []);
  const lost = lostShare(sum);
  const unit = sum.expected > 0 ? rounding.unit : "";
  return (
    <div class="figures">
      <Figure name={say().expected} value={text(total.expected)} beside={unit} />
      <Figure
        name={say().produced}
        value={text(total.produced)}
        beside={unit}
        below={say().of_expected(percentText(1 - lost))}
        filled={1 - lost}
        mark={1}
      />
      <Figure
        name={say().lost}
        value={text(total.lost)}
        beside={unit}
        below={say().of_expected(percentText(lost))}
        filled={lost}
      />
      <Figure
        name={say().availability}
        help={say().availability_help}
        value={percentText(availableShare(shares), 2)}
        below={say().known(percentText(knownShare(shares)))}
        filled={availableShare(shares)}
        mark={1}
      />
    </div>
  );
}

/** The waterfall; every step of it opens what it is made of. */
export function AccountPanel({ of, range }: {
  readonly of: Load<Accounts>;
  readonly range: Range;
}) {
  const rounding = roundingOfAccounts(of.data?.buckets);
  return (
    <Panel
      title={`${say().account}, ${rounding.unit}`}
      aside={
        <>
          <Views page="losses" />{" "}
          <Export
            path={losses_path}
            query={lossQuery(range, { interval: range.interval })}
            name={`losses ${range.from} ${range.to}`}
          />
        </>
      }
    >
      <Loaded
        of={of}
        isEmpty={isUnknown}
        empty={say().no_account}
      >
        {({ buckets }) => {
          const sum = sumOfAccounts(buckets);
          return (
            <>
              <Waterfall
                expected={sum.expected}
                produced={sum.produced}
                losses={sum}
                rounding={rounding}
                linked={(step, name) =>
                  step === "expected" || step === "produced"
                    ? (
                      <Link page="inverters" params={{ range: "month", day: range.to }}>
                        {name}
                      </Link>
                    )
                    : <Link page="losses" params={{ ...keptParams(), part: step }}>{name}</Link>}
              />
              <Missing of={sum} />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

/** What of the range is in no sum. */
function Missing({ of: { unmeasured, is_partial } }: { readonly of: Account }) {
  const rounding = roundingOf(unmeasured, "Wh");
  const energy = `${
    stepsText(Math.round(unmeasured / stepOf(rounding)), rounding)
  } ${rounding.unit}`;
  return (
    <p class="quiet small more">
      {say().adds_up}
      {is_partial && ` ${say().partial}`}{" "}
      {unmeasured > 0 && (
        <Link page="losses" params={{ ...keptParams(), part: "unmeasured" }}>
          {say().unmeasured(energy)}
        </Link>
      )}
    </p>
  );
}

/** The parameters of the range, for links within the page. */
export function keptParams() {
  return Object.fromEntries(["range", "from", "to", "sort"].map((name) => [name, param(name)]));
}
