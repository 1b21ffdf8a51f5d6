// What the service reads by itself: each source with its devices, and what keeps it from them.
import { getJson } from "../frame/api.ts";
import { useLoad } from "../frame/load.ts";
import { numberText } from "../frame/number.ts";
import { project } from "../frame/session.ts";
import { Listing } from "../parts/listing.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Ago, When } from "../parts/when.tsx";
import { say } from "./say.ts";

type Device = {
  readonly name: string;
  readonly connected: boolean | null;
  readonly since: string;
  readonly last_answer_at: string | null;
  readonly last_error: string | null;
};

type State = {
  readonly connected: boolean | null;
  readonly last_value_at: string | null;
  /** Null where it tells no times. */
  readonly clock_ahead_s: number | null;
  readonly errors: Readonly<Record<string, number>>;
  readonly last_error: string | null;
  readonly last_error_at: string | null;
  readonly rejected: readonly {
    readonly reason: string;
    readonly count: number;
    readonly tag: string | null;
    readonly topic: string | null;
  }[];
  readonly notes: readonly string[];
  /** Spans of which something may be lost. */
  readonly gaps: readonly {
    readonly from: string;
    readonly to: string;
    readonly reason: string;
  }[];
  readonly devices: readonly Device[];
};

type Source = {
  readonly site: string;
  readonly key: string;
  readonly kind: string;
  /** Null while it is not read. */
  readonly state: State | null;
};

const refresh_ms = 10_000;
/** Lost devices, or spans, of a source. */
const most_shown = 50;

/** The section. */
export function Sources() {
  const sources = useLoad(
    [project.value!.id],
    ([project_id], signal) =>
      getJson<readonly Source[]>("/platform/v1/sources", { project_id }, signal),
    { refresh_ms },
  );
  return (
    <Panel
      title={say().section_sources}
      aside={<a href="/docs/api/send#source_put">{say().how_sources}</a>}
    >
      <Loaded
        of={sources}
        isEmpty={(sources) => sources.length === 0}
        empty={say().no_sources}
      >
        {(sources) => (
          <>
            <p>{say().devices_lost(devicesOf(sources, isLost), devicesOf(sources))}</p>
            <Listing
              label={say().section_sources}
              columns={[
                { name: say().source },
                { name: say().state },
                { name: say().devices_answer, is_number: true },
                { name: say().last_value, is_number: true },
                { name: say().clock_ahead, is_number: true },
                { name: say().errors, is_number: true },
              ]}
              rows={sources.toSorted(byUrgency).map((source) => ({
                key: `${source.site} ${source.key}`,
                cells: cellsOf(source),
                below: source.state && moreOf(source.state),
              }))}
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

const isLost = ({ connected }: Device) => connected === false;

/** How many devices sources have, or such of them. */
function devicesOf(sources: readonly Source[], isSuch = (_: Device) => true): number {
  return sources.reduce((sum, { state }) => sum + (state?.devices.filter(isSuch).length ?? 0), 0);
}

function cellsOf({ key, kind, state }: Source) {
  const answering = state?.devices.filter(({ connected }) => connected).length ?? 0;
  const errors = Object.values(state?.errors ?? {}).reduce((sum, it) => sum + it, 0);
  return [
    <>
      {key} <small class="quiet">{kind}</small>
    </>,
    <Badge state={state} />,
    `${answering} / ${state?.devices.length ?? 0}`,
    <Ago at={state?.last_value_at} />,
    numberText(state?.clock_ahead_s, 1),
    numberText(errors),
  ];
}

/** Whether all, some or none of its devices answer. */
function Badge({ state }: Pick<Source, "state">) {
  if (state === null) return <>{say().not_read}</>;
  if (state.connected === null) return <>{say().not_asked}</>;
  if (state.connected) return <span class="badge">{say().answers}</span>;
  const is_part = state.devices.some(({ connected }) => connected);
  return <span class="badge dead">{is_part ? say().answers_partly : say().lost}</span>;
}

/** What is wrong with a source, and with its devices that are lost; undefined for nothing. */
function moreOf({ last_error, last_error_at, rejected, notes, gaps, devices }: State) {
  if (last_error === null && notes.length + gaps.length === 0) return undefined;
  const lost = devices.filter(({ connected }) => connected === false);
  return (
    <details open={lost.length > 0}>
      <summary>{lost.length > 0 ? say().lost_devices(lost.length) : say().what_was_wrong}</summary>
      <ul>
        {last_error_at && lost.length === 0 && (
          <li>
            {last_error}{" "}
            <span class="quiet">
              (<Ago at={last_error_at} />)
            </span>
          </li>
        )}
        {rejected.map(({ reason, count, tag, topic }) => (
          <li>
            {say().rejected_rows(count)}: {reason} <code>{tag ?? topic}</code>
          </li>
        ))}
        {notes.map((note) => <li>{note}</li>)}
        {gaps.slice(-most_shown).map(({ from, to, reason }) => (
          <li>
            {say().maybe_lost}: <When at={from} /> – <When at={to} />: {reason}
          </li>
        ))}
      </ul>
      {lost.length > 0 && (
        <Listing
          label={say().lost_devices(lost.length)}
          columns={[{ name: say().device }, { name: say().since }, { name: say().to_know }]}
          rows={lost.slice(0, most_shown).map(({ name, since, last_error }) => ({
            key: name,
            cells: [name, <Ago at={since} />, last_error ?? ""],
          }))}
        />
      )}
    </details>
  );
}

/** The lost ones first, then those that nobody has asked yet. */
function byUrgency(a: Source, b: Source): number {
  const rankOf = ({ state }: Source) => [false, null, true].indexOf(state?.connected ?? null);
  return rankOf(a) - rankOf(b) || a.key.localeCompare(b.key);
}
