// Where samples are sent beside a centre: how far behind each is, what keeps it back.
import { getJson, send } from "../frame/api.ts";
import { useLoad } from "../frame/load.ts";
import { lagText, no_number, numberText } from "../frame/number.ts";
import { may, project } from "../frame/session.ts";
import { beat, carryOut, is_busy } from "../parts/act.ts";
import { Listing } from "../parts/listing.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Ago, When } from "../parts/when.tsx";
import { say } from "./say.ts";
import { open_id, openOne } from "./section.ts";
import { type SentDay, SentDays } from "./sent_days.tsx";

const path = "/platform/v1/destinations";
const refresh_ms = 5_000;
/** Tags whose rows are set aside, and days of which rows are lost. */
const most_shown = 200;

type State = {
  readonly connected: boolean | null;
  readonly reason: string | null;
  readonly trouble_since: string | null;
  readonly notes: readonly string[];
  readonly rows_per_s: number;
  readonly lag_s: number;
  readonly waiting_rows: number;
  readonly set_aside_rows: number;
  readonly lost: readonly { readonly day: string; readonly rows: number }[];
  readonly days: readonly SentDay[];
};

type Destination = {
  readonly key: string;
  readonly kind: string;
  readonly state: State;
  readonly definition: { readonly enabled: boolean };
};

/** The section. */
export function Destinations() {
  const destinations = useLoad(
    [project.value!.id],
    ([project_id], signal) => getJson<readonly Destination[]>(path, { project_id }, signal),
    { refresh_ms, again: beat.value },
  );
  return (
    <Panel
      title={say().section_destinations}
      aside={<a href="/docs/api/operation#destination_put">{say().how_destinations}</a>}
    >
      <Loaded of={destinations} isEmpty={(all) => all.length === 0} empty={say().no_destinations}>
        {(all) => (
          <>
            <p>{say().destinations_held(all.filter(isHeld).length, all.length)}</p>
            <Listing
              label={say().section_destinations}
              columns={[
                { name: say().destination },
                { name: say().state },
                { name: say().behind, is_number: true },
                { name: say().waiting_rows, is_number: true },
                { name: say().set_aside, is_number: true },
                { name: say().lost_rows, is_number: true },
              ]}
              rows={all.toSorted(byUrgency).map((it) => ({
                key: it.key,
                cells: cellsOf(it),
                below: moreOf(it),
              }))}
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

const isHeld = ({ state }: Destination) => state.connected === false;

/** Those that are held up first, then those that nothing was sent to yet. */
function byUrgency(a: Destination, b: Destination): number {
  const rankOf = ({ state }: Destination) => [false, null, true].indexOf(state.connected);
  return rankOf(a) - rankOf(b) || a.key.localeCompare(b.key);
}

function cellsOf({ key, kind, state, definition }: Destination) {
  return [
    <>
      {key} <small class="quiet">{kind}</small>
    </>,
    <>
      <Badge {...state} enabled={definition.enabled} />{" "}
      {state.rows_per_s > 0 && say().rows_per_s(numberText(state.rows_per_s))}
    </>,
    lagText(state.lag_s),
    numberText(state.waiting_rows),
    state.set_aside_rows === 0 ? numberText(0) : <AsideButton of={key} rows={state} />,
    numberText(state.lost.reduce((sum, { rows }) => sum + rows, 0)),
  ];
}

function Badge({ connected, enabled }: Pick<State, "connected"> & { readonly enabled: boolean }) {
  if (!enabled) return <>{say().switched_off}</>;
  if (connected === null) return <>{say().nothing_sent}</>;
  if (connected) return <span class="badge">{say().takes_rows}</span>;
  return <span class="badge dead">{say().held_up}</span>;
}

function AsideButton({ of: key, rows: { set_aside_rows } }: {
  readonly of: string;
  readonly rows: Pick<State, "set_aside_rows">;
}) {
  const is_open = open_id.value === key;
  return (
    <button
      type="button"
      class="plain"
      aria-expanded={is_open}
      onClick={() => openOne(is_open ? undefined : key)}
    >
      {numberText(set_aside_rows)}
    </button>
  );
}

/** What is wrong, lost, set aside (once that is opened) and sent; undefined for nothing. */
function moreOf({ key, state }: Destination) {
  const { reason, notes, lost, days, set_aside_rows } = state;
  const is_open = open_id.value === key && set_aside_rows > 0;
  if (reason === null && !is_open && notes.length + lost.length + days.length === 0) {
    return undefined;
  }
  return (
    <>
      {reason !== null && <Reason {...state} />}
      {notes.length + lost.length > 0 && (
        <ul>
          {notes.map((note) => <li>{note}</li>)}
          {lost.slice(0, most_shown).map(({ day, rows }) => (
            <li>{say().lost_of_day(day, numberText(rows))}</li>
          ))}
        </ul>
      )}
      {is_open && <Asides of={key} />}
      {days.length > 0 && (
        <details>
          <summary>{say().what_was_sent}</summary>
          <SentDays days={days} />
        </details>
      )}
    </>
  );
}

function Reason({ reason, trouble_since }: State) {
  return (
    <p>
      {reason}{" "}
      <span class="quiet">
        (<Ago at={trouble_since} />)
      </span>
    </p>
  );
}

type Aside = {
  readonly tag: string;
  readonly rows: number;
  readonly first_ts: string;
  readonly last_ts: string;
  readonly reason: string;
};

/** The rows that a destination does not take, by tag, and sending them again. */
function Asides({ of: key }: { readonly of: string }) {
  const project_id = project.value!.id;
  const of_key = `${path}/${encodeURIComponent(key)}/set-aside`;
  const asides = useLoad(
    [of_key, project_id],
    ([of_key, project_id], signal) =>
      getJson<readonly Aside[]>(of_key, { project_id, limit: most_shown }, signal),
    { refresh_ms, again: beat.value },
  );
  const retry = () =>
    carryOut(
      () => send<{ rows: number }>("POST", `${of_key}/retry`, { query: { project_id } }),
      ({ rows }) => say().asides_sent(numberText(rows), key),
    );
  return (
    <Loaded of={asides} isEmpty={(all) => all.length === 0} empty={no_number}>
      {(all) => (
        <>
          <Listing
            label={say().set_aside}
            columns={[
              { name: say().tag },
              { name: say().sent_rows, is_number: true },
              { name: say().time },
              { name: say().to_know },
            ]}
            rows={all.map(({ tag, rows, first_ts, last_ts, reason }) => ({
              key: tag,
              cells: [
                <code>{tag}</code>,
                numberText(rows),
                <>
                  <When at={first_ts} /> – <When at={last_ts} />
                </>,
                reason,
              ],
            }))}
          />
          {may("operate") && (
            <button
              type="button"
              disabled={is_busy.value}
              onClick={() => void retry()}
            >
              {say().send_again}
            </button>
          )}
        </>
      )}
    </Loaded>
  );
}
