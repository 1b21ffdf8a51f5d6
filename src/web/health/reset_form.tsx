// The form that declares a reset of a counter; the address can fill it in.
import { send } from "../frame/api.ts";
import { moment_ms } from "../frame/clock.ts";
import { change, param } from "../frame/place.ts";
import { devices, plant_load } from "../frame/plant.ts";
import { project, zone } from "../frame/session.ts";
import { instantOf, offsetMinutes, offsetText } from "../frame/zone.ts";
import { act } from "../parts/act.ts";
import { resets_path } from "./counters.tsx";
import { Field, Form } from "../parts/form.tsx";
import { say } from "./say.ts";

type Declared = { readonly sensor_tag: string; readonly fit: "fits" | "no_reading" };

/** The form; it closes when the reset is declared. */
export function ResetForm() {
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
    const declared = await act(
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
