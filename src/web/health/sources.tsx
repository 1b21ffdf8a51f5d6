// What the service reads by itself: each source with its devices, and what keeps it from them.
import { getJson } from "../frame/api.ts";
import { useLoad } from "../frame/load.ts";
import { numberText } from "../frame/number.ts";
import { project } from "../frame/session.ts";
import { Listing } from "../parts/listing.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Ago } from "../parts/when.tsx";
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
  readonly errors: Readonly<Record<string, number>>;
  readonly last_error: string | null;
  readonly last_error_at: string | null;
  readonly rejected: readonly {
    readonly reason: string;
    readonly count: number;
    readonly tag: string | null;
  }[];
  readonly notes: readonly string[];
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
            <p>{say().sources_lost(sources.filter(isLost).length, sources.length)}</p>
            <Listing
              label={say().section_sources}
              columns={[
                { name: say().source },
                { name: say().state },
                { name: say().devices_answer, is_number: true },
                { name: say().last_value, is_number: true },
                { name: say().errors, is_number: true },
              ]}
              rows={sources.toSorted(byUrgency).map((source) => ({
                key: `${source.site} ${source.key}`,
                cells: cellsOf(source),
                below: source.state && <More {...source.state} />,
              }))}
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function isLost({ state }: Source): boolean {
  return state?.connected === false;
}

function cellsOf({ key, kind, state }: Source) {
  const answering = state?.devices.filter(({ connected }) => connected).length ?? 0;
  const errors = Object.values(state?.errors ?? {}).reduce((sum, it) => sum + it, 0);
  return [
    <>
      {key} <small class="quiet">{kind}</small>
    </>,
    <Badge connected={state === null ? undefined : state.connected} />,
    `${answering} / ${state?.devices.length ?? 0}`,
    <Ago at={state?.last_value_at} />,
    numberText(errors),
  ];
}

/** Whether something answers: undefined where it is not read, null where nobody knows yet. */
function Badge({ connected }: { readonly connected: boolean | null | undefined }) {
  if (connected === undefined) return <>{say().not_read}</>;
  if (connected === null) return <>{say().not_asked}</>;
  return (
    <span class={connected ? "badge" : "badge dead"}>
      {connected ? say().answers : say().lost}
    </span>
  );
}

/** What is wrong with a source, and its devices, the lost ones first. */
function More({ connected, last_error, last_error_at, rejected, notes, devices }: State) {
  if (last_error === null && notes.length === 0 && devices.length < 2) return null;
  return (
    <details open={connected === false}>
      <summary>{last_error ?? notes[0] ?? say().devices_of(devices.length)}</summary>
      <ul>
        {last_error_at && (
          <li>
            {last_error}{" "}
            <span class="quiet">
              (<Ago at={last_error_at} />)
            </span>
          </li>
        )}
        {rejected.map(({ reason, count, tag }) => (
          <li>
            {say().rejected_rows(count)}: {reason} <code>{tag}</code>
          </li>
        ))}
        {notes.map((note) => <li>{note}</li>)}
      </ul>
      <Listing
        label={say().devices_of(devices.length)}
        is_dense
        columns={[
          { name: say().device },
          { name: say().state },
          { name: say().since },
          { name: say().to_know },
        ]}
        rows={devices.toSorted((a, b) => rankOf(a) - rankOf(b)).map((device) => ({
          key: device.name,
          cells: [
            device.name,
            <Badge connected={device.connected} />,
            <Ago at={device.since} />,
            device.connected ? "" : device.last_error ?? "",
          ],
        }))}
      />
    </details>
  );
}

function rankOf({ connected }: { readonly connected: boolean | null }): number {
  return connected === false ? 0 : connected === null ? 1 : 2;
}

/** The lost ones first, then those that nobody has asked yet. */
function byUrgency(a: Source, b: Source): number {
  const [one, other] = [a, b].map(({ state }) => rankOf({ connected: state?.connected ?? null }));
  return one - other || a.key.localeCompare(b.key);
}
