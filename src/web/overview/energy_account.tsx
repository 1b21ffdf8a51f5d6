// Where the day's energy went: from what was expected, loss by loss, to what was produced.
import { named_losses, performance_path, sumOf } from "../frame/performance.ts";
import { roundingOf } from "../frame/rounded.ts";
import { Export } from "../parts/export.tsx";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Waterfall } from "../parts/waterfall.tsx";
import { say } from "./say.ts";
import { type useAccountToday, useEnergyFile, type useEnergyToday } from "./today.ts";

type AccountProps = {
  readonly energy: ReturnType<typeof useEnergyToday>;
  readonly account: ReturnType<typeof useAccountToday>;
};

/** The day's account, over the minutes in which both are known. */
export function EnergyAccount({ energy, account }: AccountProps) {
  const file = useEnergyFile();
  const parts = account.data?.parts;
  const rounding = roundingOf(sumOf(energy.data?.expected_matched ?? []), "Wh");
  return (
    <Panel
      title={`${say().account}, ${rounding.unit}`}
      aside={file && (
        <Export
          path={performance_path}
          query={file}
          name={`energy ${file.dt_start}`}
          of={say().quarters}
        />
      )}
    >
      <Loaded
        of={energy}
        isEmpty={(it) => it.length === 0 || Number.isNaN(sumOf(it.expected_matched))}
        empty={energy.data?.length ? say().no_expected : say().no_account}
      >
        {({ measured_matched, expected_matched }) => {
          // The model ends at the inverters' limits: what they clip is expected of the sun, too.
          const expected = sumOf(expected_matched) + (parts?.clipping ?? 0);
          const produced = sumOf(measured_matched);
          const named = named_losses.map((name) => [name, parts?.[name] ?? 0] as const);
          const other = named.reduce((left, [, energy]) => left - energy, expected - produced);
          const losses = { ...Object.fromEntries(named) as typeof parts & object, other };
          return <Waterfall {...{ expected, produced, losses, rounding }} />;
        }}
      </Loaded>
      <p class="more">
        <Link page="losses">{say().account}</Link>
      </p>
    </Panel>
  );
}
