// One inverter: why it is red, its curve, its states and losses, what happened, what is behind it.
import { useSignal } from "@preact/signals";
import type { Device } from "../frame/plant.ts";
import type { Load } from "../frame/load.ts";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { DeviceAbout } from "./about.tsx";
import { PowerCurve } from "./curve.tsx";
import { useDeviceAlarms, useDeviceEvidence, useDeviceIssues } from "./device_data.ts";
import { factsOf, why_format, worstCell } from "./facts.ts";
import { DeviceAlarms, DeviceWork, LossTable, StateTable } from "./happenings.tsx";
import { DeviceIssue } from "./issue.tsx";
import type { MapData } from "./map_data.ts";
import { CellSamples } from "./samples.tsx";
import { say } from "./say.ts";
import { change, param } from "../frame/place.ts";
import { addressTime, type MapRange, type MapSpan, placeWith, shownCell } from "./view.ts";
import { cellSpanText, rangeText } from "./toolbar.tsx";
import { dayAfter, dayOf, dayStart } from "../frame/zone.ts";
import { zone } from "../frame/session.ts";
import { verdictOf, whySentence } from "./why.ts";

type ViewProps = {
  readonly device: Device;
  readonly range: MapRange;
  readonly map: Load<MapData>;
};

/** Everything about one inverter in the shown time. */
export function DeviceView({ device, range, map }: ViewProps) {
  const again = useSignal(0);
  const evidence = useDeviceEvidence(device, range);
  const alarms = useDeviceAlarms(device, range);
  const issues = useDeviceIssues(device, again.value);
  const cell = shownCell(range);
  const about = { device, evidence, alarms, issues };
  return (
    <>
      <aside class="device-side">
        <WhyPanel {...about} {...{ range, map, cell }} onOpened={() => again.value++} />
        <StateTable {...{ evidence, device, range }} />
        <LossTable {...{ evidence, device, range }} />
      </aside>
      <div class="device-main">
        <PowerCurve device={device} range={range} alarms={alarms} cell={cell} map={map} />
        <DeviceAlarms alarms={alarms} />
        <DeviceWork issues={issues} />
        <CellSamples device={device} cell={range.kind === "month" ? undefined : cell} />
        <DeviceAbout device={device} />
      </div>
    </>
  );
}

/** Shows the samples of a cell: of the chosen one, or of that which lost most of a time. */
function toSamples(device: Device, span: MapSpan, map: MapData): void {
  const cell = worstCell(device, span, map);
  if (cell !== undefined) {
    const day = dayOf(cell, zone.value);
    const is_day = map.range.kind === "day";
    const shown = is_day ? param("cell") ?? addressTime(cell) : undefined;
    change({ range: undefined, day, cell: shown });
  }
  document.querySelector(".device-main .samples")?.scrollIntoView({ block: "center" });
}

type WhyProps = ViewProps & {
  readonly cell: MapSpan | undefined;
  readonly evidence: ReturnType<typeof useDeviceEvidence>;
  readonly alarms: ReturnType<typeof useDeviceAlarms>;
  readonly issues: ReturnType<typeof useDeviceIssues>;
  readonly onOpened: () => void;
};

/** The whole time that is shown. */
function spanOf({ zoom, from, to }: MapRange): MapSpan {
  return zoom ?? {
    from_ms: dayStart(from, zone.value),
    to_ms: dayStart(dayAfter(to), zone.value),
  };
}

function WhyPanel({ device, range, map, cell, evidence, alarms, issues, onOpened }: WhyProps) {
  const span = cell ?? spanOf(range);
  const loads = { map, evidence, alarms, issues };
  const facts = factsOf(device, span, loads);
  const all: Load<typeof facts> = {
    data: facts,
    problem: Object.values(loads).find(({ problem }) => problem)?.problem,
    is_loading: Object.values(loads).some(({ is_loading }) => is_loading),
    loaded_ms: Math.min(...Object.values(loads).map(({ loaded_ms }) => loaded_ms)),
  };
  const whole = range.kind === "month" ? say().whole_month : say().whole_day;
  const shown = range.zoom ? rangeText(range) : `${whole}, ${rangeText(range)}`;
  return (
    <Panel
      title={device.name}
      class="why"
      aside={
        <Link page="inverters" params={placeWith({ device: undefined, cell: undefined })}>
          {say().close}
        </Link>
      }
    >
      <p class="quiet">
        {cell ? cellSpanText(cell, range) : shown}
        {cell && (
          <button type="button" onClick={() => change({ cell: undefined })}>
            {range.zoom ? rangeText(range) : whole}
          </button>
        )}
      </p>
      <Loaded of={all}>
        {(facts) =>
          facts && (
            <>
              <p class={`why-sentence ${verdictOf(facts)}`} aria-live="polite">
                <b>{say().why}:</b> {whySentence(facts, say(), why_format)}
              </p>
              <DeviceIssue device={device} facts={facts} onOpened={onOpened}>
                <button type="button" onClick={() => toSamples(device, span, map.data!)}>
                  {say().samples}
                </button>
              </DeviceIssue>
            </>
          )}
      </Loaded>
    </Panel>
  );
}
