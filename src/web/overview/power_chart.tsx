// The day's power against what was expected, over the irradiance.
import { moment_minute_ms } from "../frame/clock.ts";
import { zone } from "../frame/session.ts";
import { longDateText } from "../frame/zone.ts";
import { Chart } from "../parts/chart.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { say } from "./say.ts";
import type { usePowerToday } from "./today.ts";

/** The curves of a day, on an axis that has room for the rest of its daylight. */
export function PowerChart({ of }: { readonly of: ReturnType<typeof usePowerToday> }) {
  const day = longDateText(moment_minute_ms.value, zone.value);
  return (
    <Panel title={say().power_chart} aside={day} class="power">
      <Loaded
        of={of}
        isEmpty={({ actual, expected, irradiance }) =>
          [actual, expected, irradiance].every((it) => it.every(Number.isNaN))}
        empty={say().no_curve}
      >
        {({ instants, actual, expected, irradiance, end_ms }) => (
          <Chart
            label={say().power_chart}
            height={300}
            instants={instants}
            to_ms={end_ms}
            lines={[
              {
                label: say().irradiance,
                unit: "W/m²",
                values: irradiance,
                color: "--area",
                look: "area",
              },
              {
                label: say().expected,
                unit: "MW",
                values: expected.map((it) => it / 1e6),
                color: "--line-expected",
                look: "dashed",
              },
              {
                label: say().actual,
                unit: "MW",
                values: actual.map((it) => it / 1e6),
                color: "--line-1",
                width: 2,
              },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}
