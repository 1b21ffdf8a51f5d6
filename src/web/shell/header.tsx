// The line above every page: the plant, the pages, what is wrong, and the moment that is shown.
import { useSignal } from "@preact/signals";
import { AlarmCounts } from "../alarms/counts.tsx";
import { at_ms, moment_ms } from "../frame/clock.ts";
import { cut_for_ms } from "../frame/live.ts";
import { spanText } from "../frame/number.ts";
import { change, open, page_name } from "../frame/place.ts";
import { Menu } from "./menu.tsx";
import { Navigation } from "./navigation.tsx";
import { say } from "../frame/say.ts";
import { project, session, zone } from "../frame/session.ts";
import { instantOf, longDateText, offsetMinutes, offsetText, timeText } from "../frame/zone.ts";

/** The line above every page, and on a phone the pages below it. */
export function Header() {
  return (
    <header class="top">
      <Plant />
      <Navigation />
      <CutSign />
      <AlarmCounts of={project.value} />
      <Moment />
      <Menu />
    </header>
  );
}

/** That nothing comes by itself any more, and for how long. */
function CutSign() {
  const span_ms = cut_for_ms.value;
  if (span_ms === undefined) return null;
  return <span class="cut" role="alert">{say().cut_off(spanText(span_ms))}</span>;
}

/** The plant's name; a choice where there are several. */
function Plant() {
  const { projects = [] } = session.value ?? {};
  const { key, name } = project.value ?? {};
  if (projects.length < 2) return <strong class="plant">{name ?? say().product}</strong>;
  return (
    <select
      class="plant"
      aria-label={say().plant}
      value={key}
      onChange={({ currentTarget }) => open(page_name.value, { project: currentTarget.value })}
    >
      {projects.map((it) => <option value={it.key}>{it.name}</option>)}
    </select>
  );
}

/** The moment that is shown, in the plant's zone, and the way to another one. */
function Moment() {
  const is_open = useSignal(false);
  const at = moment_ms.value;
  const is_replay = at_ms.value !== undefined;
  return (
    <div class={is_replay ? "moment replay" : "moment"}>
      {is_replay && <span>{say().replay}</span>}
      <button
        type="button"
        title={`${say().stand_at} (${zone.value})`}
        aria-expanded={is_open.value}
        onClick={() => is_open.value = !is_open.value}
      >
        {longDateText(at, zone.value)} <b>{timeText(at, zone.value)}</b>{" "}
        <small>
          <span class="zone">{zone.value}</span> {offsetText(at, zone.value)}
        </small>
      </button>
      {is_open.value && <MomentForm onDone={() => is_open.value = false} />}
      {is_replay && (
        <button type="button" onClick={() => change({ at: undefined })}>
          {say().back_to_now}
        </button>
      )}
    </div>
  );
}

/** Stays while a time is typed part by part, which makes one moment after another. */
function MomentForm({ onDone }: { readonly onDone: () => void }) {
  const at = moment_ms.peek();
  const local = new Date(at + offsetMinutes(at, zone.value) * 60_000).toISOString().slice(0, 16);
  return (
    <input
      type="datetime-local"
      aria-label={say().stand_at}
      value={local}
      autofocus
      onChange={({ currentTarget }) => {
        const at = instantOf(currentTarget.value, zone.value);
        if (Number.isFinite(at)) change({ at: new Date(at).toISOString().slice(0, 16) + "Z" });
      }}
      onKeyDown={({ key }) => (key === "Enter" || key === "Escape") && onDone()}
    />
  );
}
