// Sources and how they do: which devices answer, what went wrong, and when the last value came.
import { source_error_kinds, type SourceErrorKind } from "../../model/sources/source.ts";
import { getJson } from "../frame/api.ts";
import { useLoad } from "../frame/load.ts";
import { no_number } from "../frame/number.ts";
import { project } from "../frame/session.ts";
import { Listing } from "../parts/listing.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Ago, When } from "../parts/when.tsx";
import { say } from "./say.ts";

/** What is shown of a device of a source. */
type SourceDevice = {
  readonly name: string;
  readonly connected: boolean | null;
  readonly since: string;
  readonly last_error: string | null;
};

/** What is shown of a source; its state is null while it is not read. */
type ReadSource = {
  readonly site: string;
  readonly key: string;
  readonly kind: string;
  readonly state: {
    readonly connected: boolean | null;
    readonly last_value_at: string | null;
    readonly errors: Readonly<Record<SourceErrorKind, number>>;
    readonly last_error: string | null;
    readonly notes: readonly string[];
    readonly gaps: readonly { readonly from: string; readonly to: string }[];
    readonly devices: readonly SourceDevice[];
  } | null;
};

const refresh_ms = 30_000;
const most_devices = 20;
const most_gaps = 3;

/** The section. */
export function Sources() {
  const sources = useLoad(
    [project.value!.id],
    ([project_id], signal) =>
      getJson<readonly ReadSource[]>("/platform/v1/sources", { project_id }, signal),
    { refresh_ms },
  );
  return (
    <Panel title={say().section_sources}>
      <Loaded of={sources} isEmpty={(rows) => rows.length === 0} empty={say().no_sources}>
        {(rows) => (
          <Listing
            label={say().section_sources}
            columns={columns()}
            rows={rows.map((row) => ({ key: `${row.site} ${row.key}`, cells: cellsOf(row) }))}
          />
        )}
      </Loaded>
    </Panel>
  );
}

const columns = () => [
  { name: say().source },
  { name: say().state },
  { name: say().devices_that_answer, is_number: true },
  { name: say().last_value },
  { name: say().errors },
  { name: say().what_is_wrong },
];

function cellsOf({ key, kind, state }: ReadSource) {
  const name = (
    <>
      <code>{key}</code> <small class="quiet">{kind}</small>
    </>
  );
  if (state === null) return [name, say().source_off, no_number, no_number, no_number, ""];
  const { devices, connected, last_value_at, errors } = state;
  const answering = devices.filter((it) => it.connected).length;
  const word = connected === null ? "waiting" : connected ? "connected" : "lost";
  const counted = source_error_kinds.filter((it) => errors[it] > 0);
  return [
    name,
    <span class={connected === false ? "badge dead" : "badge"}>{say()[`source_${word}`]}</span>,
    `${answering} / ${devices.length}`,
    last_value_at === null ? no_number : <Ago at={last_value_at} />,
    counted.map((it) => `${say()[`errors_${it}`]} ${errors[it]}`).join(", ") || no_number,
    <WhatIsWrong state={state} />,
  ];
}

/** The lost devices with their reason, then what else there is to know. */
function WhatIsWrong({ state }: { readonly state: NonNullable<ReadSource["state"]> }) {
  const lost = state.devices.filter(({ connected }) => connected === false);
  return (
    <ul>
      {lost.slice(0, most_devices).map(({ name, since, last_error }) => (
        <li>
          {name}: {last_error}{" "}
          <span class="quiet">
            (<When at={since} />)
          </span>
        </li>
      ))}
      {lost.length > most_devices && <li>{say().more_lost(lost.length - most_devices)}</li>}
      {state.gaps.slice(-most_gaps).map(({ from, to }) => (
        <li>
          {say().maybe_lost}: <When at={from} /> – <When at={to} />
        </li>
      ))}
      {state.notes.map((note) => <li>{note}</li>)}
    </ul>
  );
}
