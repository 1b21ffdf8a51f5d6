// The work: what is to be done, on a board or in a list, and everything about one piece of it.
import { useLayoutEffect } from "preact/hooks";
import { at_ms } from "../frame/clock.ts";
import { change, param } from "../frame/place.ts";
import { mapped } from "../frame/load.ts";
import { may, project } from "../frame/session.ts";
import { Export } from "../parts/export.tsx";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Filters, Whose } from "./filter.tsx";
import { isOpen, isWanted, type Item, itemsOf, sorted } from "./item.ts";
import { IssueDetail } from "./issue_detail.tsx";
import { Board, ItemList } from "./lists.tsx";
import { NewForm } from "./new_form.tsx";
import { OrderDetail } from "./order_detail.tsx";
import { say } from "./say.ts";
import { issues_path, orders_path, page_rows, useIssues } from "./store.ts";
import { chosen, is_mine, order_by, show, view, wanted } from "./view.ts";

/** The page. */
export function WorkPage() {
  useLayoutEffect(() => {
    // What a phone shows first is in the address too, so that a copy of it shows the same.
    if (is_mine.peek() && param("whose") === undefined) change({ whose: "mine" });
  }, []);
  const issues = useIssues();
  const items = mapped(issues, (all) => all.flatMap(itemsOf));
  const made = chosen.value;
  return (
    <div class={made ? "work chosen" : "work"}>
      <Panel class="work-lists" title={say().title} aside={<Aside />}>
        <Whose items={items.data} />
        <Filters />
        <Loaded of={items}>{(all) => <Items all={all} />}</Loaded>
        {at_ms.value === undefined && <Files />}
      </Panel>
      {made && (
        <section class="panel work-detail" aria-label={say().detail}>
          <Link page="work" params={closed()} class="button work-back">{say().back}</Link>
          {made.kind === "new"
            ? <NewForm key={made.what} what={made.what} issues={issues.data ?? []} />
            : made.kind === "issue"
            ? <IssueDetail key={made.id} id={made.id} />
            : <OrderDetail key={made.id} id={made.id} />}
        </section>
      )}
    </div>
  );
}

/** The page's parameters without what is opened. */
function closed() {
  const names = ["view", "show", "sort", "whose", "kind", "priority", "device", "q"];
  return Object.fromEntries(names.map((name) => [name, param(name)]));
}

function Aside() {
  if (!may("manage") || at_ms.value !== undefined) return null;
  return (
    <>
      <button type="button" class="main" onClick={() => change({ ...none, new: "issue" })}>
        {say().new_issue}
      </button>
      <button type="button" onClick={() => change({ ...none, new: "order" })}>
        {say().new_order}
      </button>
    </>
  );
}

/** Both lists to take away, as they are now. */
function Files() {
  const query = { project_id: project.value!.id, limit: page_rows };
  return (
    <p class="row">
      <Export path={issues_path} query={query} name="issues" of={say().issues} />
      <Export path={orders_path} query={query} name="work-orders" of={say().orders} />
    </p>
  );
}

const none = { issue: undefined, order: undefined, of: undefined };

function Items({ all }: { readonly all: readonly Item[] }) {
  const found = all.filter((item) => isWanted(item, wanted.value));
  if (view.value === "board") return <Board items={sorted(found, "urgency")} />;
  const listed = found.filter((item) =>
    show.value === "all" || isOpen(item) === (show.value === "open")
  );
  return <ItemList items={sorted(listed, order_by.value)} />;
}
