// Which alarms the list shows: its four lists with their counts, and what is looked for.
import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { after, moment_ms } from "../frame/clock.ts";
import { change, param } from "../frame/place.ts";
import { devices } from "../frame/plant.ts";
import { say as say_frame } from "../frame/say.ts";
import { zone } from "../frame/session.ts";
import { dayAfter, dayOf } from "../frame/zone.ts";
import { DayInput } from "../parts/form.tsx";
import { type Digit, Priority } from "../parts/priority.tsx";
import { type Tab, tabs } from "../alarm/alarm.ts";
import { say } from "../alarm/say.ts";
import { choosing, day, span, spans, tab, wanted } from "./view.ts";

/** The four lists, each with how many are in it. */
export function Tabs({ counts }: { readonly counts: Readonly<Record<Tab, number>> | undefined }) {
  return (
    <div class="alarm-tabs" role="group" aria-label={say().state}>
      {tabs.map((name) => (
        <button
          type="button"
          aria-pressed={name === tab.value}
          onClick={() => change({ ...choosing(undefined), tab: name, marked: undefined })}
        >
          {say()[`tab_${name}`]} {counts && <b>{counts[name]}</b>}
        </button>
      ))}
    </div>
  );
}

const digits: readonly Digit[] = [1, 2, 3, 4, 5];

/** What alarms are looked for by. */
export function Filters() {
  const chosen = wanted.value.digits ?? digits;
  const toggle = (digit: Digit) => {
    const only = wanted.value.digits ?? [];
    const next = only.includes(digit) ? only.filter((it) => it !== digit) : [...only, digit];
    change({ priority: next.toSorted().join("") || undefined });
  };
  const is_wide = matchMedia("(min-width: 721px)").matches;
  return (
    <details class="alarm-search" open={is_wide}>
      <summary>{say().filters}</summary>
      <div class="alarm-filters">
        <Search />
        <select
          aria-label={say().device}
          value={param("device") ?? ""}
          onChange={({ currentTarget }) => change({ device: currentTarget.value || undefined })}
        >
          <option value="">{say().every_device}</option>
          {devices.value.map(({ key, name }) => <option value={key}>{name}</option>)}
        </select>
        <span class="digits" role="group" aria-label={say().priority}>
          {digits.map((digit) => (
            <button
              type="button"
              aria-pressed={wanted.value.digits?.includes(digit) ?? false}
              title={say().only_priority(say_frame()[`priority_${digit}`])}
              class={chosen.includes(digit) ? undefined : "off"}
              onClick={() => toggle(digit)}
            >
              <Priority of={digit} />
            </button>
          ))}
        </span>
        <Time />
      </div>
    </details>
  );
}

/** The time that is looked at, and which day where it is one. */
function Time() {
  return (
    <span class="alarm-time">
      <label>
        <span class="quiet">{say().span}</span>{" "}
        <select
          value={span.value}
          onChange={({ currentTarget }) => lookAt(currentTarget.value as typeof span.value)}
        >
          {spans.map((it) => <option value={it}>{say()[`span_${it}`]}</option>)}
        </select>
      </label>
      {span.value === "day" && (
        <DayInput
          label={say().span_day}
          value={day.value}
          max={dayOf(moment_ms.value, zone.value)}
          onDay={(days) => change({ days })}
        />
      )}
    </span>
  );
}

/** Looks at another time; of a day of the past all alarms are listed, not what stands now. */
function lookAt(wanted: typeof span.value): void {
  const before = day.peek() ?? dayAfter(dayOf(moment_ms.peek(), zone.peek()), -1);
  const is_past = wanted === "yesterday" || wanted === "day";
  change({
    ...choosing(undefined),
    days: wanted === "day" ? before : wanted,
    tab: is_past ? "all" : param("tab"),
    marked: undefined,
  });
}

/** The words that are looked for, a moment after they were typed. */
function Search() {
  const text = useSignal(param("q") ?? "");
  const typed = text.value;
  useLayoutEffect(
    () => after(200, () => typed !== (param("q") ?? "") && change({ q: typed || undefined })),
    [typed],
  );
  const said = param("q") ?? "";
  useLayoutEffect(() => {
    text.value = said;
  }, [said]);
  return (
    <input
      type="search"
      aria-label={say().search}
      placeholder={say().search_hint}
      value={typed}
      onInput={({ currentTarget }) => text.value = currentTarget.value}
    />
  );
}
