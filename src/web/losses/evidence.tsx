// What tells of losses: the spans behind a figure, and of one inverter's day its states as well.
import { change } from "../frame/place.ts";
import { deviceOf } from "../frame/plant.ts";
import { quantityText } from "../frame/number.ts";
import { say as frameSay } from "../frame/say.ts";
import { zone } from "../frame/session.ts";
import { dayOf, daysText, instantText, offsetText, timeText } from "../frame/zone.ts";
import type { Loss } from "../frame/performance.ts";
import { Export } from "../parts/export.tsx";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { keptParams } from "./account_panel.tsx";
import { losses_path, lossSpanQuery, useLossSpans } from "./data.ts";
import { DayTimeline } from "./day_timeline.tsx";
import { say } from "./say.ts";
import { evidenceText } from "./state.ts";
import { nothing_selected, type Selection } from "./view.ts";

/** How many spans are listed; the export has all of them. */
const most_listed = 100;

type Spans = NonNullable<ReturnType<typeof useLossSpans>["data"]>;

/** The name of a loss, or of what was not measured. */
export function partText(part: string): string {
  return part === "unmeasured" ? say().part_unmeasured : frameSay()[`loss_${part as Loss}`];
}

/** The evidence of what is selected. */
export function Evidence({ of }: { readonly of: Selection }) {
  const spans = useLossSpans(of);
  const { device, part, from, to } = of;
  const about = [device?.name, part && partText(part), daysText(of)].filter(Boolean).join(" · ");
  return (
    <Panel
      title={say().evidence_of(about)}
      class="evidence"
      aside={
        <span class="row">
          {device && (
            <Link page="inverters" params={{ device: device.key, day: from === to ? from : to }}>
              {say().open_inverter}
            </Link>
          )}
          <Export
            path={`${losses_path}/timeline`}
            query={lossSpanQuery(of)}
            name={`losses ${about}`}
          />
          <button type="button" onClick={() => change(nothing_selected)}>{frameSay().close}</button>
        </span>
      }
    >
      {part === "other" && <p>{say().other_help}</p>}
      {device && from === to && <DayTimeline device={device} day={from} losses={spans} />}
      <Loaded of={spans} isEmpty={(it) => it.length === 0} empty={say().no_evidence}>
        {(spans) => <SpanTable spans={spans} of={of} />}
      </Loaded>
    </Panel>
  );
}

function SpanTable({ spans, of }: { readonly spans: Spans; readonly of: Selection }) {
  return (
    <>
      {spans.length > most_listed && (
        <p class="quiet">{say().largest_of(most_listed, spans.length)}</p>
      )}
      <div class="scroll tall" tabIndex={0} role="region" aria-label={say().evidence}>
        <table>
          <thead>
            <tr>
              <th scope="col">{say().lost}</th>
              <th scope="col">{say().cause}</th>
              <th scope="col">{say().inverter}</th>
              <th scope="col">{say().when}</th>
              <th scope="col">{say().evidence}</th>
            </tr>
          </thead>
          <tbody>
            {spans.slice(0, most_listed).map((span) => <SpanRow span={span} of={of} />)}
          </tbody>
        </table>
      </div>
    </>
  );
}

function SpanRow({ span, of }: { readonly span: Spans[number]; readonly of: Selection }) {
  const { hierarchy_id, from_ms, to_ms, part, energy, evidence, detail } = span;
  const device = deviceOf(hierarchy_id);
  const day = dayOf(from_ms, zone.value);
  return (
    <tr>
      <td class="number">{quantityText(energy, "Wh")}</td>
      <td>
        <i class={`share mark ${part}`} aria-hidden="true" /> {partText(part)}
      </td>
      <td>
        <Link
          page="losses"
          params={{ ...keptParams(), device: device?.key, day, part: of.part }}
          title={say().show_day}
        >
          {device?.name ?? hierarchy_id}
        </Link>
      </td>
      <td>
        {instantText(from_ms, zone.value)}–{timeText(to_ms, zone.value)}{" "}
        <span class="quiet">{offsetText(from_ms, zone.value)}</span>
      </td>
      <td>{evidenceText(evidence, detail)}</td>
    </tr>
  );
}
