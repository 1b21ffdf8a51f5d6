// What happened to counters, and declaring what a replaced or reset one showed.
import type { CounterEventKind, CounterEventRow } from "../../model/counters/event.ts";
import type { ResetFit } from "../../model/counters/reset.ts";
import { getJson, send } from "../frame/api.ts";
import { at_ms, moment_minute_ms, moment_ms } from "../frame/clock.ts";
import { useLoad } from "../frame/load.ts";
import { no_number, numberText } from "../frame/number.ts";
import { change, param } from "../frame/place.ts";
import { deviceOf, devices, plant_load } from "../frame/plant.ts";
import { may, project, zone } from "../frame/session.ts";
import { instantOf, offsetMinutes, offsetText } from "../frame/zone.ts";
import { beat, carryOut } from "../parts/act.ts";
import { Asked, Field, Form } from "../parts/form.tsx";
import { Listing } from "../parts/listing.tsx";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Ago, When } from "../parts/when.tsx";
import { say } from "./say.ts";
import { open_id } from "./section.ts";

/** What happened to a counter. */
type Event = Omit<CounterEventRow, "kind" | "fit"> & {
  readonly kind: CounterEventKind;
  readonly fit: ResetFit | null;
};

/** Where what happened to counters is listed and resets are declared. */
const resets_path = "/platform/v1/counters/resets";

const kinds: readonly CounterEventKind[] = ["suspect", "new_track", "wrap", "reset"];
const most_rows = 1000;
const refresh_ms = 60_000;

/** Whether the reader may declare and remove resets now. */
const mayDeclare = () => may("manage") && at_ms.value === undefined;

/** The section. */
export function Counters() {
  const wanted = kinds.find((it) => it === param("kind"));
  const to = at_ms.value === undefined ? undefined : moment_minute_ms.value;
  const rows = useLoad(
    [project.value!.id, to],
    async ([project_id, to], signal) => {
      const until = to && new Date(to).toISOString();
      const query = { project_id, limit: most_rows, to: until };
      const rows = await getJson<readonly Event[]>(resets_path, query, signal);
      return rows.toReversed();
    },
    { refresh_ms, again: beat.value },
  );
  return (
    <Panel
      title={say().section_counters}
      aside={<a href="/docs/counters">{say().what_counters}</a>}
    >
      {mayDeclare() && (open_id.value === undefined
        ? (
          <p>
            <button type="button" onClick={() => change({ open: "new" })}>
              {say().declare_reset}…
            </button>
          </p>
        )
        : <ResetForm />)}
      <Loaded of={rows} isEmpty={(rows) => rows.length === 0} empty={say().no_counter_events}>
        {(rows) => (
          <>
            <KindFilter rows={rows} wanted={wanted} />
            <Listing
              label={say().section_counters}
              columns={columns()}
              rows={rows.filter(({ kind }) => !wanted || kind === wanted).map((row) => ({
                key: [row.hierarchy_id, row.kind, row.ts, row.reset_id].join(),
                cells: cellsOf(row),
              }))}
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function KindFilter({ rows, wanted }: {
  readonly rows: readonly Event[];
  readonly wanted: CounterEventKind | undefined;
}) {
  return (
    <p class="row" role="group" aria-label={say().event}>
      {kinds.map((kind) => (
        <button
          type="button"
          aria-pressed={kind === wanted}
          title={say()[`means_${kind}`]}
          onClick={() => change({ kind: kind === wanted ? undefined : kind })}
        >
          {say()[`counter_${kind}`]} {rows.filter((row) => row.kind === kind).length}
        </button>
      ))}
    </p>
  );
}

const columns = () => [
  { name: say().counter },
  { name: say().event },
  { name: say().time },
  { name: say().before, is_number: true },
  { name: say().after, is_number: true },
  { name: say().counted, is_number: true },
  { name: say().to_do },
];

function cellsOf(row: Event) {
  const { kind, ts, sensor_tag } = row;
  const device = deviceOf(row.hierarchy_id);
  const day_ms = 86_400_000;
  const span = {
    from: new Date(Date.parse(ts) - day_ms / 2).toISOString(),
    to: new Date(Date.parse(ts) + day_ms / 2).toISOString(),
  };
  return [
    <>
      <Link page="trends" params={{ curves: encodeURIComponent(sensor_tag), ...span }}>
        <code>{sensor_tag}</code>
      </Link>
      {device && (
        <small class="quiet">
          <br />
          {device.name}
        </small>
      )}
    </>,
    <span class={`badge ${kind}`} title={say()[`means_${kind}`]}>{say()[`counter_${kind}`]}</span>,
    <>
      <When at={ts} />{" "}
      <span class="quiet">
        (<Ago at={ts} />)
      </span>
    </>,
    <>
      {numberText(row.before_value)}
      {row.before_ts && (
        <small class="quiet">
          <br />
          <When at={row.before_ts} />
        </small>
      )}
    </>,
    numberText(row.value),
    row.counted === null ? say().nothing : numberText(row.counted),
    <WhatToDo row={row} />,
  ];
}

/** A declared reset with the way to take it back; of the rest, the way to declare one. */
function WhatToDo({ row }: { readonly row: Event }) {
  const { kind, reset_id, sensor_tag, before_value, value, author, fit } = row;
  if (kind === "wrap") return <span class="quiet">{say().counted_whole}</span>;
  if (reset_id === null) {
    if (!mayDeclare()) return <>{no_number}</>;
    return (
      <Link
        page="health"
        params={{
          ...{ section: "counters", open: "new", tag: sensor_tag, reset_at: row.ts },
          ...{ last: String(before_value ?? ""), first: String(value ?? "") },
        }}
      >
        {say().declare_here}
      </Link>
    );
  }
  return (
    <>
      <span class="quiet">
        {author === null ? say().by_site_file : say().declared_by(author)}
        {fit && ` · ${say()[`fit_${fit}`]}`}
      </span>
      {author !== null && mayDeclare() && <RemoveReset id={reset_id} tag={sensor_tag} />}
    </>
  );
}

function RemoveReset({ id, tag }: { readonly id: string; readonly tag: string }) {
  const remove = () =>
    carryOut(
      () => send("DELETE", `${resets_path}/${id}`, { query: { project_id: project.value!.id } }),
      () => say().reset_removed(tag),
    );
  return (
    <Asked
      button={say().remove}
      question={say().remove_reset_question(tag)}
      answer={say().remove}
      onYes={remove}
    />
  );
}

type Declared = { readonly sensor_tag: string; readonly fit: "fits" | "no_reading" };

/** The form; it closes when the reset is declared. */
function ResetForm() {
  const at_ms = Date.parse(param("reset_at") ?? "");
  const start_ms = Number.isNaN(at_ms) ? moment_ms.peek() : at_ms;
  const close = () =>
    change({
      ...{ open: undefined, tag: undefined, reset_at: undefined },
      ...{ last: undefined, first: undefined },
    });
  const declare = async (form: FormData) => {
    const body = {
      tag: String(form.get("tag")).trim(),
      at: new Date(instantOf(String(form.get("at")), zone.value)).toISOString(),
      last_value: Number(form.get("last")),
      first_value: Number(form.get("first")),
    };
    const query = { project_id: project.value!.id };
    const declared = await carryOut(
      () => send<Declared>("POST", resets_path, { query, body }),
      ({ sensor_tag, fit }) => `${say().reset_declared(sensor_tag)} ${say()[`fit_${fit}`]}.`,
    );
    if (declared) close();
  };
  return (
    <Form
      title={say().declare_reset}
      button={say().declare}
      onSubmit={declare}
      onClose={close}
    >
      <p class="quiet">{say().reset_help}</p>
      <Field name={say().counter_tag}>
        <input name="tag" list="counter-tags" required defaultValue={param("tag") ?? ""} />
      </Field>
      <CounterTags />
      <Field name={say().reset_at(`${zone.value} ${offsetText(start_ms, zone.value)}`)}>
        <input
          name="at"
          type="datetime-local"
          step="1"
          required
          defaultValue={localText(start_ms)}
        />
      </Field>
      <Field name={say().value_before}>
        <input name="last" type="number" step="any" required defaultValue={param("last") ?? ""} />
      </Field>
      <Field name={say().value_after}>
        <input
          name="first"
          type="number"
          step="any"
          required
          defaultValue={param("first") ?? "0"}
        />
      </Field>
    </Form>
  );
}

/** The plant's tags that can be counters. */
function CounterTags() {
  const of_site = plant_load.value.data?.sensors ?? [];
  const tags = [...devices.value.flatMap(({ sensors }) => sensors), ...of_site]
    .filter(({ component_measure }) => /energy|insolation|precipitation/.test(component_measure))
    .map(({ sensor_tag }) => sensor_tag);
  return (
    <datalist id="counter-tags">{tags.map((tag) => <option key={tag} value={tag} />)}</datalist>
  );
}

/** An instant as the plant's clocks show it, for a field of a form. */
function localText(at_ms: number): string {
  const local_ms = at_ms + offsetMinutes(at_ms, zone.value) * 60_000;
  return new Date(local_ms).toISOString().slice(0, 19);
}
