// Where the day's energy went: from what was expected, loss by loss, to what was produced.
import { scaledText, scaleOf } from "../frame/number.ts";
import { sumOf } from "../frame/performance.ts";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { named_losses } from "./account.ts";
import { say } from "./say.ts";
import type { useAccountToday, useEnergyToday } from "./today.ts";

type AccountProps = {
  readonly energy: ReturnType<typeof useEnergyToday>;
  readonly account: ReturnType<typeof useAccountToday>;
};

/** The day's account, over the minutes in which both are known. */
export function EnergyAccount({ energy, account }: AccountProps) {
  const parts = account.data?.parts;
  const scale = scaleOf(sumOf(energy.data?.expected_matched ?? []), "Wh");
  return (
    <Panel title={`${say().account}, ${scale.unit}`}>
      <Loaded of={energy} isEmpty={(it) => it.length === 0} empty={say().no_account}>
        {({ measured_matched, expected_matched }) => {
          const [expected, produced] = [sumOf(expected_matched), sumOf(measured_matched)];
          const losses = named_losses.map((name) => [name, parts?.[name] ?? 0] as const)
            .filter(([, energy]) => energy > 0);
          const other = losses.reduce((left, [, energy]) => left - energy, expected - produced);
          let reached = expected;
          return (
            <dl class="account">
              <Row name={say().account_expected} from={0} to={expected} {...{ expected, scale }} />
              {[...losses, ["other", other] as const].map(([name, energy]) => {
                const to = reached;
                reached -= energy;
                return (
                  <Row
                    key={name}
                    name={say()[`loss_${name}`]}
                    kind={`loss ${name}`}
                    {...{ from: reached, to, expected, scale }}
                  />
                );
              })}
              <Row name={say().produced} from={0} to={produced} {...{ expected, scale }} />
            </dl>
          );
        }}
      </Loaded>
      <p class="more">
        <Link page="losses">{say().account}</Link>
      </p>
    </Panel>
  );
}

type RowProps = {
  readonly name: string;
  readonly kind?: string;
  /** Where the bar begins and ends, in Wh; a loss is what lies between. */
  readonly from: number;
  readonly to: number;
  readonly expected: number;
  readonly scale: { readonly unit: string; readonly divisor: number };
};

function Row({ name, kind = "", from, to, expected, scale }: RowProps) {
  const percent = (energy: number) => `${Math.min(100, Math.max(0, 100 * energy / expected))}%`;
  const is_loss = kind !== "";
  return (
    <>
      <dt>{name}</dt>
      <dd class={kind}>
        <i
          aria-hidden="true"
          style={{
            left: percent(Math.min(from, to)),
            width: percent(Math.abs(to - from)),
          }}
        />
      </dd>
      <dd class="number">{scaledText(is_loss ? from - to : to, scale)}</dd>
    </>
  );
}
