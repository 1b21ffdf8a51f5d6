// The forecast for today and tomorrow, as it was known at the moment that is looked at.
import { quantityText } from "../frame/number.ts";
import { sumOf } from "../frame/performance.ts";
import { zone } from "../frame/session.ts";
import { dayStart } from "../frame/zone.ts";
import { Chart } from "../parts/chart.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { say } from "./say.ts";
import { useForecast } from "./today.ts";

/** The forecast power by hour, and each day's energy. */
export function Forecast() {
  return (
    <Panel title={say().forecast}>
      <Loaded
        of={useForecast()}
        isEmpty={({ forecast }) => Number.isNaN(sumOf(forecast))}
        empty={say().no_forecast}
      >
        {({ instants, forecast, tomorrow }) => {
          const turn_ms = dayStart(tomorrow, zone.value);
          const energy = (is_of: (at: number) => boolean) =>
            quantityText(sumOf(forecast.filter((_, i) => is_of(instants[i]))), "Wh");
          return (
            <>
              <p>
                {say().today} <b>{energy((at) => at < turn_ms)}</b> · {say().tomorrow}{" "}
                <b>{energy((at) => at >= turn_ms)}</b>
              </p>
              <Chart
                label={say().forecast}
                height={150}
                instants={instants}
                lines={[{
                  label: say().forecast,
                  unit: "MW",
                  values: forecast.map((it) => it / 1e6),
                  color: "--line-expected",
                  look: "step",
                }]}
                marks={[{ at_ms: turn_ms, label: say().tomorrow, color: "--edge" }]}
              />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}
