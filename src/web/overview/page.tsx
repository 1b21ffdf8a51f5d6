// The overview: what the plant does now, what is wrong, and where the day's energy went.
import { zone } from "../frame/session.ts";
import { dayOf } from "../frame/zone.ts";
import { moment_minute_ms } from "../frame/clock.ts";
import { Chart } from "../parts/chart.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { say } from "./say.ts";
import { usePowerToday } from "./today.ts";

/** What a plant does now. */
export function OverviewPage() {
  const power = usePowerToday();
  return (
    <div class="overview">
      <Panel title={say().power_chart} aside={dayOf(moment_minute_ms.value, zone.value)}>
        <Loaded of={power} isEmpty={(it) => it.instants.length === 0} empty={say().no_curve}>
          {({ instants, actual, expected, irradiance }) => (
            <Chart
              label={say().power_chart}
              instants={instants}
              lines={[
                {
                  label: say().irradiance,
                  unit: "W/m²",
                  values: irradiance,
                  color: "--area",
                  look: "area",
                  scale: "W/m²",
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
    </div>
  );
}
