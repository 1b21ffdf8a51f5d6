// The list of alarms: it keeps still when new ones come, and a keyboard moves in it.
import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { now_ms } from "../frame/clock.ts";
import { addressOf, change, param, place } from "../frame/place.ts";
import { zone } from "../frame/session.ts";
import { instantText, timeText } from "../frame/zone.ts";
import { Priority } from "../parts/priority.tsx";
import { type Alarm, claimOf, shelvedUntil } from "../alarm/alarm.ts";
import { valueInList } from "../alarm/figures.ts";
import { actorOf } from "../alarm/people.ts";
import { say } from "../alarm/say.ts";
import { canAct, choose, choosing, day, mark, marked, numberOf, tab, wanted } from "./view.ts";

/** So many rows are drawn at first. */
const first_rows = 200;

/** For so long an alarm is called new. */
const new_ms = 60_000;

type ListProps = {
  readonly alarms: readonly Alarm[];
  readonly chosen: string | undefined;
};

/** The alarms in their order. */
export function AlarmList({ alarms, chosen }: ListProps) {
  const rows = useSignal(first_rows);
  if (alarms.length === 0) return <Empty />;
  const more = alarms.length - rows.value;
  return (
    <>
      <table class="alarm-list">
        <thead>
          <tr>
            {canAct.value && (
              <th scope="col">
                <span class="hidden">{say().selected(marked.value.size)}</span>
              </th>
            )}
            <th scope="col" title={say().priority}>
              P<span class="hidden">{say().priority}</span>
            </th>
            <th scope="col">{say().raised}</th>
            <th scope="col">{say().device}</th>
            <th scope="col">{say().alarm}</th>
            <th scope="col" class="number">{say().value}</th>
            <th scope="col">{say().state}</th>
          </tr>
        </thead>
        <tbody>
          {alarms.slice(0, rows.value).map((alarm) => (
            <Row
              key={alarm.occurrence_id}
              is_chosen={alarm.occurrence_id === chosen}
              alarm={alarm}
            />
          ))}
        </tbody>
      </table>
      {more > 0 && (
        <button type="button" onClick={() => rows.value += first_rows}>
          {say().show_more(Math.min(more, first_rows))}
        </button>
      )}
      <NewAbove alarms={alarms} />
    </>
  );
}

function Row({ alarm, is_chosen }: {
  readonly alarm: Alarm;
  readonly is_chosen: boolean;
}) {
  const { occurrence_id, raised_ms, device_name, source_tag, rule_name } = alarm;
  const is_active = alarm.cleared_ms === null;
  const name = `${rule_name}, ${device_name ?? source_tag}`;
  return (
    <tr
      class={is_active ? "active" : undefined}
      aria-current={is_chosen ? "true" : undefined}
      onClick={({ target }) => {
        if (target instanceof Element && !target.closest("a, input, label")) {
          document.getElementById(rowId(occurrence_id))?.click();
        }
      }}
    >
      {canAct.value && (
        <td class="mark">
          <label>
            <input
              type="checkbox"
              checked={marked.value.has(numberOf(alarm))}
              onChange={() => mark(alarm)}
              aria-label={say().mark(name)}
            />
          </label>
        </td>
      )}
      <td class="p">
        <Priority of={alarm.digit} />
      </td>
      <td class="raised">
        <time dateTime={new Date(raised_ms).toISOString()}>
          {instantText(raised_ms, zone.value)}
        </time>
        {isNew(alarm) && <b class="is-new">{say().is_new}</b>}
      </td>
      <td class="device">{device_name ?? source_tag}</td>
      <td class="name">
        <a
          id={rowId(occurrence_id)}
          data-place
          href={addressOf("alarms", { ...place.value.params, ...choosing(occurrence_id) })}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
            event.preventDefault();
            choose(occurrence_id);
          }}
        >
          {rule_name}
        </a>
      </td>
      <td class="value number">{valueInList(alarm)}</td>
      <td class="state">
        <b>{is_active ? say().active : say().returned}</b> · <StateText alarm={alarm} />
      </td>
    </tr>
  );
}

/** Where an alarm is in the queue, and by whom. */
export function StateText({ alarm }: {
  readonly alarm: Alarm;
}) {
  const claim = claimOf(alarm);
  const until_ms = shelvedUntil(alarm);
  const by = claim && actorOf(claim);
  if (by) return <span>{say().claimed_by(by)}</span>;
  if (until_ms !== undefined) {
    const is_today = until_ms - now_ms.value < 20 * 3_600_000;
    const text = (is_today ? timeText : instantText)(until_ms, zone.value);
    return <span>{say().shelved_until(text)}</span>;
  }
  const is_held = alarm.status === "shelved";
  return <span>{is_held ? say().held_back : say()[`status_${alarm.status}`]}</span>;
}

/** Says that a new alarm came above what is on the screen, and leads there. */
function NewAbove({ alarms }: { readonly alarms: readonly Alarm[] }) {
  const is_down = useSignal(false);
  useLayoutEffect(() => {
    const look = () => is_down.value = scrollY > 160;
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, []);
  const newest = is_down.value ? alarms.find(isNew) : undefined;
  return (
    <div class="new-above" aria-live="polite">
      {newest && (
        <button type="button" onClick={() => scrollTo({ top: 0 })}>
          <Priority of={newest.digit} />{" "}
          {say().new_above(`${newest.rule_name}, ${newest.device_name ?? newest.source_tag}`)}
        </button>
      )}
    </div>
  );
}

function isNew({ raised_ms, cleared_ms }: Alarm): boolean {
  const at = param("at") === undefined ? now_ms.value : Infinity;
  return cleared_ms === null && at - raised_ms < new_ms;
}

function Empty() {
  const { device_id, digits, text } = wanted.value;
  if (device_id !== undefined || digits !== undefined || text) {
    const nothing = { device: undefined, priority: undefined, q: undefined };
    return (
      <p class="empty">
        {say().none_wanted}{" "}
        <button type="button" onClick={() => change(nothing)}>{say().clear_search}</button>
      </p>
    );
  }
  if (day.value !== undefined) return <p class="empty">{say().none_day}</p>;
  return (
    <p class="empty">
      {say()[`none_${tab.value}`]}{" "}
      {tab.value === "needs" && <span class="quiet">{say().none_needs_hint}</span>}
    </p>
  );
}

/** The id of the link in an alarm's row. */
export function rowId(occurrence_id: string): string {
  return `alarm-${occurrence_id}`;
}
