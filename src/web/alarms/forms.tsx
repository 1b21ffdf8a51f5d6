// The forms of what must be said with an action: shelving, resolving, commenting.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { alarm_limits } from "../../model/alarms/limits.ts";
import { now_ms } from "../frame/clock.ts";
import { change } from "../frame/place.ts";
import { zone } from "../frame/session.ts";
import { instantText } from "../frame/zone.ts";
import { act, is_acting } from "./act.ts";
import type { Alarm } from "../alarm/alarm.ts";
import { say } from "../alarm/say.ts";

type FormProps = { readonly targets: readonly Alarm[] };

const hour_ms = 3_600_000;
const durations_h = [1, 4, 8, 24, 72, 168] as const;

/** Takes alarms out of the way for a while. */
export function ShelveForm({ targets }: FormProps) {
  const hours = useSignal<number>(4);
  const reason = useSignal("");
  const until_ms = now_ms.value + hours.value * hour_ms;
  const shelve = () => {
    const until = new Date(now_ms.peek() + hours.value * hour_ms).toISOString();
    return act(targets, "shelve", { until, reason: reason.value });
  };
  return (
    <ActionForm title={say().shelve_title} button={say().shelve_do} onSubmit={shelve}>
      <label>
        {say().shelve_for}
        <select
          data-first
          value={String(hours.value)}
          onChange={({ currentTarget }) => hours.value = Number(currentTarget.value)}
        >
          {durations_h.map((it) => (
            <option value={String(it)}>
              {it < 24 ? say().hours(it) : say().days(it / 24)}
            </option>
          ))}
        </select>
      </label>
      <p class="quiet">{say().comes_back(instantText(until_ms, zone.value))}</p>
      <label>
        {say().reason}
        <input
          type="text"
          required
          maxLength={alarm_limits.note_length}
          value={reason.value}
          onInput={({ currentTarget }) => reason.value = currentTarget.value}
        />
      </label>
    </ActionForm>
  );
}

/** Ends alarms with what was found and done. */
export function ResolveForm({ targets }: FormProps) {
  const note = useSignal("");
  return (
    <ActionForm
      title={say().resolve_title}
      button={say().resolve_do}
      onSubmit={() => act(targets, "resolve", { note: note.value })}
    >
      <TextField label={say().note} text={note} />
    </ActionForm>
  );
}

/** Says something about alarms. */
export function CommentForm({ targets }: FormProps) {
  const body = useSignal("");
  return (
    <ActionForm
      title={say().comment_title}
      button={say().comment_do}
      onSubmit={() => act(targets, "comment", { body: body.value })}
    >
      <TextField label={say().comment_body} text={body} />
    </ActionForm>
  );
}

function TextField({ label, text }: {
  readonly label: string;
  readonly text: { value: string };
}) {
  return (
    <label>
      {label}
      <textarea
        data-first
        required
        rows={3}
        maxLength={alarm_limits.note_length}
        value={text.value}
        onInput={({ currentTarget }) => text.value = currentTarget.value}
        onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
          if (key === "Enter" && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit();
        }}
      />
    </label>
  );
}

/** A form that is sent by Enter, and closed by Escape. */
export function ActionForm({ title, button, is_ready, onSubmit, children }: {
  readonly title: string;
  readonly button: string;
  /** It can be sent as it is: the button is the first thing to reach. */
  readonly is_ready?: boolean;
  readonly onSubmit: () => Promise<unknown>;
  readonly children: ComponentChildren;
}) {
  return (
    <form
      class="action-form"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit();
      }}
    >
      <strong>{title}</strong>
      {children}
      <div class="buttons">
        <button type="submit" class="main" data-first={is_ready} disabled={is_acting.value}>
          {button}
        </button>
        <button type="button" onClick={() => change({ do: undefined })}>{say().cancel}</button>
      </div>
    </form>
  );
}
