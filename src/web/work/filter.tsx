// Whose work is shown, how, and what is looked for.
import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { work_priorities } from "../../model/work/issue.ts";
import { after } from "../frame/clock.ts";
import { change, param } from "../frame/place.ts";
import { devices } from "../frame/plant.ts";
import { session } from "../frame/session.ts";
import { isOpen, type Item, orders_by } from "./item.ts";
import { say } from "./say.ts";
import { wordOf } from "./value.ts";
import { is_mine, isNarrow, order_by, show, shows, view, views } from "./view.ts";

const typing_ms = 250;

/** The reader's own work or everybody's, with how much of it is open. */
export function Whose({ items }: {
  /** Undefined while they are loading. */
  readonly items: readonly Item[] | undefined;
}) {
  const open = items?.filter(isOpen);
  const { user } = session.value ?? {};
  const mine = open?.filter(({ assignee }) => assignee !== null && assignee.id === user?.id);
  return (
    <div class="row work-whose">
      <span class="row" role="group" aria-label={say().whose}>
        {user && (
          <button
            type="button"
            aria-pressed={is_mine.value}
            onClick={() => change({ whose: "mine" })}
          >
            {say().mine} {mine && <b>{mine.length}</b>}
          </button>
        )}
        <button
          type="button"
          aria-pressed={!is_mine.value}
          onClick={() => change({ whose: "all" })}
        >
          {say().everybody} {open && <b>{open.length}</b>}
        </button>
      </span>
    </div>
  );
}

/** What is looked for, and how it is shown; folded on a phone. */
export function Filters() {
  return (
    <details class="work-more" open={!isNarrow()}>
      <summary>{say().more}</summary>
      <div class="row work-filters">
        <Search />
        <Choice
          name="kind"
          label={say().kind}
          all={say().every_kind}
          options={[["issue", say().issues], ["order", say().orders]]}
        />
        <Choice
          name="priority"
          label={say().priority}
          all={say().every_priority}
          options={work_priorities.map((it) => [it, wordOf("priority", it)])}
        />
        <Choice
          name="device"
          label={say().device}
          all={say().every_device}
          options={devices.value.map(({ key, name }) => [key, name])}
        />
        {view.value === "list" && (
          <>
            <Choice
              name="show"
              label={say().show}
              value={show.value}
              options={shows.map((it) => [it, say()[`show_${it}`]])}
            />
            <Choice
              name="sort"
              label={say().sort}
              value={order_by.value}
              options={orders_by.map((it) => [it, say()[`sort_${it}`]])}
            />
          </>
        )}
        <span class="row" role="group" aria-label={say().view}>
          {views.map((it) => (
            <button
              type="button"
              aria-pressed={view.value === it}
              onClick={() => change({ view: it })}
            >
              {say()[it]}
            </button>
          ))}
        </span>
      </div>
    </details>
  );
}

/** A parameter of the address as a choice; `all` is the choice of none. */
function Choice({ name, label, all, value = param(name) ?? "", options }: {
  readonly name: string;
  readonly label: string;
  readonly all?: string;
  readonly value?: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => change({ [name]: currentTarget.value || undefined })}
    >
      {all !== undefined && <option value="">{all}</option>}
      {options.map(([it, text]) => <option value={it}>{text}</option>)}
    </select>
  );
}

/** The words that are looked for, a moment after they were typed. */
function Search() {
  const text = useSignal(param("q") ?? "");
  const typed = text.value;
  useLayoutEffect(() => after(typing_ms, () => change({ q: typed || undefined })), [typed]);
  return (
    <input
      type="search"
      aria-label={say().search}
      placeholder={say().search}
      value={typed}
      onInput={({ currentTarget }) => text.value = currentTarget.value}
    />
  );
}
