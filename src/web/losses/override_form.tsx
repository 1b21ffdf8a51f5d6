// The form of an override: inverters, a state or a loss with its share, the time, and the reason.
import { useSignal } from "@preact/signals";
import { send } from "../frame/api.ts";
import { moment_ms } from "../frame/clock.ts";
import { param } from "../frame/place.ts";
import { deviceOf, devicesOf } from "../frame/plant.ts";
import { project, zone } from "../frame/session.ts";
import { dayOf, instantOf, offsetText } from "../frame/zone.ts";
import { useSending } from "../parts/act.ts";
import { problemText } from "../parts/panel.tsx";
import { overrides_path } from "./data.ts";
import { partText } from "./evidence.tsx";
import type { Range } from "./range.ts";
import { say } from "./say.ts";
import { state_names, stateText } from "./state.ts";

const declared_losses = ["soiling", "snow"] as const;

/** Sends a new override; the service's own words say what is wrong with it. */
export function OverrideForm({ range, onDone }: {
  readonly range: Range;
  readonly onDone: () => void;
}) {
  const what = useSignal<string>("scheduled_maintenance");
  const sending = useSending();
  const submit = async (form: HTMLFormElement) => {
    const query = { project_id: project.value!.id };
    await send("POST", overrides_path, { query, body: bodyOf(new FormData(form)) });
    onDone();
  };
  const is_loss = declared_losses.some((it) => it === what.value);
  return (
    <form
      class="override-form"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        void sending.send(() => submit(form));
      }}
    >
      <Inverters />
      <label>
        {say().override_what}
        <select
          name="what"
          value={what.value}
          onChange={({ currentTarget }) => what.value = currentTarget.value}
        >
          <optgroup label={say().state}>
            {state_names.map((it) => <option value={it}>{stateText(it)}</option>)}
          </optgroup>
          <optgroup label={say().declared_loss}>
            {declared_losses.map((it) => <option value={it}>{partText(it)}</option>)}
          </optgroup>
        </select>
      </label>
      {is_loss && (
        <label>
          {say().override_share}
          <input name="share" type="number" min="0.1" max="100" step="0.1" required />
        </label>
      )}
      <Time range={range} />
      <label class="wide">
        {say().reason}
        <textarea name="reason" rows={2} maxLength={1000} required />
      </label>
      <p class="row wide">
        <button type="submit" class="main" disabled={sending.is_sending}>{say().save}</button>
        {sending.problem && <span role="alert">{problemText(sending.problem)}</span>}
      </p>
    </form>
  );
}

function Inverters() {
  const chosen = deviceOf(param("device"));
  return (
    <label>
      {say().inverters}
      <select name="device" multiple size={4} required>
        {devicesOf("inverter").filter(({ hierarchy_id }) => hierarchy_id).map((it) => (
          <option value={it.hierarchy_id!} selected={it === chosen}>{it.name}</option>
        ))}
      </select>
    </label>
  );
}

/** Local times of the plant; a day's whole length where a day is selected. */
function Time({ range }: { readonly range: Range }) {
  const day = param("day") ?? range.to;
  const offset = offsetText(instantOf(`${day}T12:00`, zone.value), zone.value);
  const today = dayOf(moment_ms.value, zone.value);
  return (
    <>
      <label>
        {say().from}, {zone.value} {offset}
        <input
          type="datetime-local"
          name="from"
          defaultValue={`${day}T08:00`}
          max={`${today}T23:59`}
          required
        />
      </label>
      <label>
        {say().to}
        <input type="datetime-local" name="to" defaultValue={`${day}T17:00`} required />
      </label>
    </>
  );
}

/** What the service is sent. */
function bodyOf(form: FormData) {
  const text = (name: string) => String(form.get(name) ?? "");
  const instant = (name: string) => new Date(instantOf(text(name), zone.value)).toISOString();
  const what = text("what");
  return {
    hierarchy_ids: form.getAll("device").map(String),
    ...(declared_losses.some((it) => it === what)
      ? { loss: what, share: Number(text("share")) / 100 }
      : { state: what }),
    from: instant("from"),
    to: instant("to"),
    reason: text("reason"),
  };
}
