// The keys of the page: moving in the list and acting without a pointer.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { change } from "../frame/place.ts";
import { may } from "../frame/session.ts";
import { act, outcome } from "./act.ts";
import { allows } from "../alarm/action.ts";
import type { Alarm } from "../alarm/alarm.ts";
import { rowId } from "./list.tsx";
import { say } from "../alarm/say.ts";
import { listed, marked_alarms, shown, shown_id } from "./shown.ts";
import { canAct, choosing, form, type FormName, mark, marked } from "./view.ts";

const form_keys: Readonly<Record<string, FormName>> = {
  s: "shelve",
  r: "resolve",
  m: "comment",
  i: "issue",
};

/** Listens to the keys, and shows them; `whole` is the chosen alarm, where no list has it. */
export function Keys({ whole }: { readonly whole: Alarm | undefined }) {
  const is_shown = useSignal(false);
  const current = useRef(whole);
  current.current = whole;
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "?") is_shown.value = !is_shown.value;
      else if (event.key === "Escape" && is_shown.value) is_shown.value = false;
      else if (!obey(event.key, current.current)) return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <button
        type="button"
        class="keys-button"
        aria-expanded={is_shown.value}
        aria-keyshortcuts="?"
        onClick={() => is_shown.value = !is_shown.value}
      >
        {say().keys} <kbd>?</kbd>
      </button>
      {is_shown.value && <KeyTable />}
    </>
  );
}

function KeyTable() {
  const rows = [
    ["↓ ↑ / j k", say().key_move],
    ["Enter", say().key_open],
    ["x", say().key_mark],
    ["c", say().claim],
    ["s", say().shelve],
    ["r", say().resolve],
    ["m", say().comment],
    ["i", say().issue],
    ["Esc", say().key_close],
    ["?", say().key_help],
  ];
  return (
    <dl class="keys" aria-label={say().keys_title}>
      {rows.map(([key, does]) => (
        <div>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Does what a key says; gives whether it says something here. */
function obey(key: string, whole: Alarm | undefined): boolean {
  const chosen = shown.peek() ?? whole;
  const several = marked_alarms.peek();
  const targets = several.length > 0 ? several : chosen ? [chosen] : [];
  if (key === "Escape") {
    if (form.peek() !== undefined) change({ do: undefined });
    else if (marked.peek().size > 0) change({ marked: undefined });
    else return false;
    return true;
  }
  const step = key === "j" || key === "ArrowDown" ? 1 : key === "k" || key === "ArrowUp" ? -1 : 0;
  if (step !== 0) return move(step);
  if (!canAct.peek() || targets.length === 0) return false;
  if (key === "x" && chosen) mark(chosen);
  else if (key === "c") void act(targets.filter((it) => allows(it, "claim")), "claim");
  else if (key === "i" && (targets.length > 1 || !may("manage"))) return false;
  else if (form_keys[key] !== undefined) {
    outcome.value = undefined;
    change({ do: form_keys[key] });
  } else return false;
  return true;
}

function move(step: number): boolean {
  const alarms = listed.peek();
  if (alarms.length === 0) return false;
  const now = alarms.findIndex((it) => it.occurrence_id === shown_id.peek());
  const next = Math.max(0, Math.min(alarms.length - 1, now + step));
  const { occurrence_id } = alarms[next];
  change(choosing(occurrence_id));
  const link = document.getElementById(rowId(occurrence_id));
  link?.focus({ preventScroll: true });
  link?.scrollIntoView({ block: "nearest" });
  return true;
}

/** Whether a key belongs to what is typed in or chosen from. */
function isTyping({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (key === "Escape") return false;
  const field = target.closest("input:not([type=checkbox]), select, textarea, summary");
  return field !== null;
}
