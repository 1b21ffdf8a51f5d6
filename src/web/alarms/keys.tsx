// The keys of the page: moving in the list and acting without a pointer.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { at_ms } from "../frame/clock.ts";
import { change } from "../frame/place.ts";
import { may } from "../frame/session.ts";
import { act, outcome } from "./act.ts";
import { allows } from "./action.ts";
import type { Alarm } from "./alarm.ts";
import { rowId } from "./list.tsx";
import { say } from "./say.ts";
import { choose, form, type FormName, mark, marked } from "./view.ts";

/** What the keys act on. */
type Keyed = {
  readonly alarms: readonly Alarm[];
  readonly chosen: Alarm | undefined;
  /** The marked ones, or else the chosen one. */
  readonly targets: readonly Alarm[];
};

const form_keys: Readonly<Record<string, FormName>> = {
  s: "shelve",
  r: "resolve",
  m: "comment",
  i: "issue",
};

/** Listens to the keys, and shows them. */
export function Keys(keyed: Keyed) {
  const is_shown = useSignal(false);
  const current = useRef(keyed);
  current.current = keyed;
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
function obey(key: string, { alarms, chosen, targets }: Keyed): boolean {
  if (key === "Escape") {
    if (form.peek() !== undefined) change({ do: undefined });
    else if (marked.peek().size > 0) change({ marked: undefined });
    else return false;
    return true;
  }
  const step = key === "j" || key === "ArrowDown" ? 1 : key === "k" || key === "ArrowUp" ? -1 : 0;
  if (step !== 0) return move(alarms, chosen, step);
  if (!may("operate") || at_ms.peek() !== undefined || targets.length === 0) return false;
  if (key === "x" && chosen) mark(chosen);
  else if (key === "c") void act(targets.filter((it) => allows(it, "claim")), "claim");
  else if (key === "i" && (targets.length > 1 || !may("manage"))) return false;
  else if (form_keys[key] !== undefined) {
    outcome.value = undefined;
    change({ do: form_keys[key] });
  } else return false;
  return true;
}

function move(alarms: readonly Alarm[], chosen: Alarm | undefined, step: number): boolean {
  if (alarms.length === 0) return false;
  const now = alarms.findIndex((it) => it.occurrence_id === chosen?.occurrence_id);
  const next = Math.max(0, Math.min(alarms.length - 1, now + step));
  const { occurrence_id } = alarms[next];
  change({ alarm: occurrence_id, do: undefined });
  const link = document.getElementById(rowId(occurrence_id));
  link?.focus({ preventScroll: true });
  link?.scrollIntoView({ block: "nearest" });
  if (!link) choose(occurrence_id);
  return true;
}

/** Whether a key belongs to what is typed in or chosen from. */
function isTyping({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (key === "Escape") return false;
  const field = target.closest("input:not([type=checkbox]), select, textarea, summary");
  return field !== null;
}
