// A day of an inverter: its states and its losses over the hours of daylight.
import type { Load } from "../frame/load.ts";
import { percentText } from "../frame/number.ts";
import type { Device } from "../frame/plant.ts";
import { zone } from "../frame/session.ts";
import { offsetText, timeText } from "../frame/zone.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Loaded } from "../parts/panel.tsx";
import { useDayStates } from "./data.ts";
import { partText } from "./evidence.tsx";
import { say } from "./say.ts";
import { evidenceText, stateText } from "./state.ts";

type Span = { readonly from_ms: number; readonly to_ms: number };
type LossSpan = Span & { readonly part: string };

const hour_ms = 3_600_000;

/** States and losses above each other, on one axis; the states' table is behind it. */
export function DayTimeline({ device, day, losses }: {
  readonly device: Device;
  readonly day: string;
  readonly losses: Load<readonly LossSpan[]>;
}) {
  const states = useDayStates(device.hierarchy_id, day);
  return (
    <Loaded of={states} isEmpty={(it) => it.length === 0} empty={say().no_states}>
      {(states) => {
        const day = { from_ms: states[0].from_ms, to_ms: states[states.length - 1].to_ms };
        const parts = Map.groupBy(losses.data ?? [], ({ part }) => part);
        return (
          <>
            <div class="day-timeline" role="img" aria-label={say().timeline(device.name)}>
              <span class="name">{say().state}</span>
              <Track
                of={day}
                spans={states.map((it) => ({
                  ...it,
                  kind: `state ${kindOf(it.unavailable, it.state)}`,
                  title: stateText(it.state),
                }))}
              />
              {[...parts].map(([part, spans]) => (
                <>
                  <span class="name">{partText(part)}</span>
                  <Track
                    of={day}
                    spans={spans.map((it) => ({
                      ...it,
                      kind: `share ${part}`,
                      title: partText(part),
                    }))}
                  />
                </>
              ))}
              <span class="name quiet">{offsetText(day.from_ms, zone.value)}</span>
              <Hours of={day} />
            </div>
            <DataTable
              columns={[say().when, say().state, say().unavailable, say().evidence]}
              length={states.length}
              row={(i) => [
                `${timeText(states[i].from_ms, zone.value)}–${
                  timeText(states[i].to_ms, zone.value)
                }`,
                stateText(states[i].state),
                percentText(states[i].unavailable, 0),
                evidenceText(states[i].evidence, states[i].detail),
              ]}
            />
          </>
        );
      }}
    </Loaded>
  );
}

function kindOf(unavailable: number, state: string): string {
  if (Number.isNaN(unavailable)) return "unknown";
  if (unavailable > 0) return "unavailable";
  return state === "full_capability" ? "full" : "less";
}

type TrackProps = {
  readonly of: Span;
  readonly spans: readonly (Span & { readonly kind: string; readonly title: string })[];
};

function Track({ of, spans }: TrackProps) {
  const percent = (ms: number) => `${100 * ms / (of.to_ms - of.from_ms)}%`;
  return (
    <span class="track">
      {spans.map(({ from_ms, to_ms, kind, title }) => (
        <i
          class={kind}
          title={`${timeText(from_ms, zone.value)}–${timeText(to_ms, zone.value)} ${title}`}
          style={{ left: percent(from_ms - of.from_ms), width: percent(to_ms - from_ms) }}
        />
      ))}
    </span>
  );
}

function Hours({ of }: { readonly of: Span }) {
  const first = Math.ceil(of.from_ms / hour_ms) * hour_ms;
  const count = Math.max(0, Math.floor((of.to_ms - first) / hour_ms) + 1);
  const every = count > 8 ? 2 : 1;
  return (
    <span class="track hours">
      {Array.from({ length: count }, (_, i) => first + i * hour_ms)
        .filter((_, i) => i % every === 0)
        .map((at) => (
          <span style={{ left: `${100 * (at - of.from_ms) / (of.to_ms - of.from_ms)}%` }}>
            {timeText(at, zone.value)}
          </span>
        ))}
    </span>
  );
}
