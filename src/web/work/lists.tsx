// Pieces of work: on a board by how far they are, and in a list.
import { at_ms, moment_ms } from "../frame/clock.ts";
import { addressOf, place } from "../frame/place.ts";
import { zone } from "../frame/session.ts";
import { dateText, instantText } from "../frame/zone.ts";
import { Priority } from "../parts/priority.tsx";
import { digitOfWork, isLate, type Item, type Stage, stages } from "./item.ts";
import { say } from "./say.ts";
import { done_days } from "./store.ts";
import { deviceText, numberText, statusText, userText, wordOf } from "./value.ts";
import { choosing, is_mine, wanted } from "./view.ts";

type Items = { readonly items: readonly Item[] };

/** The board: a column for each stage. */
export function Board({ items }: Items) {
  if (items.length === 0) return <Nothing />;
  const shown: readonly Stage[] = items.some(({ stage }) => stage === "unknown")
    ? [...stages, "unknown"]
    : stages;
  return (
    <div class="work-board">
      {shown.map((stage) => {
        const own = items.filter((it) => it.stage === stage);
        return (
          <section aria-label={say()[`stage_${stage}`]}>
            <h3>
              {say()[`stage_${stage}`]} <b>{own.length}</b>
            </h3>
            {stage === "done" && at_ms.value === undefined && (
              <p class="quiet small">{say().done_since(String(done_days))}</p>
            )}
            {own.map((item) => <Card item={item} key={item.id} />)}
          </section>
        );
      })}
    </div>
  );
}

/** A piece of work as a card: it opens when it is touched anywhere. */
export function Card({ item }: { readonly item: Item }) {
  const { kind, priority, number, title, assignee, device_ids, id } = item;
  const is_chosen = place.value.params[kind === "issue" ? "issue" : "order"] === id;
  return (
    <a
      data-place
      class={is_chosen ? "work-card here" : "work-card"}
      aria-current={is_chosen ? "true" : undefined}
      href={addressOf("work", { ...place.value.params, ...choosing(item) })}
    >
      <span class="row">
        <Priority of={digitOfWork(priority)} name={wordOf("priority", priority)} />
        <span class="quiet small">{say()[`one_${kind}`]} {numberText(number)}</span>
        <span class="small work-status">{statusText(item.status)}</span>
      </span>
      <strong>{title}</strong>
      <span class="quiet small">
        {device_ids.length > 0 && <span>{devicesText(device_ids)}</span>}
        <span>{userText(assignee)}</span>
        <Due item={item} />
      </span>
    </a>
  );
}

/** When it is due, and whether that is over. */
function Due({ item }: { readonly item: Item }) {
  if (item.due_ms === undefined) return null;
  const day = dateText(item.due_ms, zone.value);
  return isLate(item, moment_ms.value)
    ? <b class="work-late">{say().late(day)}</b>
    : <span>{say().due_at(day)}</span>;
}

function devicesText(ids: readonly string[]): string {
  const names = ids.slice(0, 3).map(deviceText).join(", ");
  return ids.length > 3 ? `${names} +${ids.length - 3}` : names;
}

/** The list; on a phone each row is a card. */
export function ItemList({ items }: Items) {
  if (items.length === 0) return <Nothing />;
  return (
    <>
      <div class="work-cards">{items.map((item) => <Card item={item} key={item.id} />)}</div>
      <div class="work-table" tabIndex={0} role="region" aria-label={say().title}>
        <table>
          <thead>
            <tr>
              {[
                say().priority,
                say().number,
                say().name,
                say().status,
                say().devices,
                say().assignee,
                say().due,
                say().changed,
              ].map((it) => <th scope="col">{it}</th>)}
            </tr>
          </thead>
          <tbody>{items.map((item) => <Row item={item} key={item.id} />)}</tbody>
        </table>
      </div>
    </>
  );
}

function Row({ item }: { readonly item: Item }) {
  const { kind, priority, number, title, assignee, device_ids } = item;
  return (
    <tr>
      <td>
        <Priority of={digitOfWork(priority)} name={wordOf("priority", priority)} />
      </td>
      <td>{say()[`one_${kind}`]} {numberText(number)}</td>
      <td>
        <a data-place href={addressOf("work", { ...place.value.params, ...choosing(item) })}>
          {title}
        </a>
      </td>
      <td>{statusText(item.status)}</td>
      <td>{devicesText(device_ids)}</td>
      <td>{userText(assignee)}</td>
      <td>
        <Due item={item} />
      </td>
      <td>{instantText(item.updated_ms, zone.value)}</td>
    </tr>
  );
}

/** Why there is nothing, and what can be done about it. */
function Nothing() {
  const { kind, priority, device_id, words } = wanted.value;
  const is_filtered = kind || priority || device_id || words;
  return (
    <p class="work-nothing quiet">
      {is_filtered ? say().none_found : is_mine.value ? say().none_mine : say().none}
    </p>
  );
}
