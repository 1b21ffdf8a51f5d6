// The storage: how full it is, and what flows in or out.
import { at_ms } from "../frame/clock.ts";
import { numberText, quantityText } from "../frame/number.ts";
import { Chart } from "../parts/chart.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { say } from "./say.ts";
import { useStorageToday } from "./today.ts";

/** Below this power a storage rests, in W. */
const resting_w = 1000;

/** The storage of a plant today. */
export function Storage() {
  const storage = useStorageToday();
  at_ms.value;
  return (
    <Panel title={say().storage} aside={storage.data && summaryOf(storage.data)}>
      <Loaded of={storage} isEmpty={(it) => it.instants.length === 0} empty={say().no_storage}>
        {({ instants, soc, power }) => (
          <Chart
            label={say().storage}
            height={170}
            instants={instants}
            lines={[
              { label: say().charge, unit: "%", values: soc, color: "--area", look: "area" },
              {
                label: say().flow,
                unit: "MW",
                values: power.map((it) => it / 1e6),
                color: "--line-1",
              },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function summaryOf(
  { soc, power }: { readonly soc: Float64Array; readonly power: Float64Array },
): string {
  const last = (values: Float64Array) => values.findLast((it) => !Number.isNaN(it));
  const flow = last(power) ?? NaN;
  const words = Math.abs(flow) < resting_w
    ? say().resting
    : (flow < 0 ? say().charging : say().discharging)(quantityText(Math.abs(flow), "W"));
  return `${numberText(last(soc), 0)} % · ${Number.isNaN(flow) ? say().not_known : words}`;
}
