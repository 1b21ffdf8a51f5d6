// Everything about a work order: what is to be done where, and that it is done.
import { line_statuses, orderMoves } from "../../model/work/work_order.ts";
import type { WorkOrderRow } from "../../model/work/work_order_shape.ts";
import { getTagged } from "../frame/api.ts";
import { at_ms, moment_ms } from "../frame/clock.ts";
import { work_beat } from "../frame/live.ts";
import { type Load, useLoad } from "../frame/load.ts";
import { may, project, zone } from "../frame/session.ts";
import { instantText } from "../frame/zone.ts";
import { Link } from "../parts/message.tsx";
import { Loaded } from "../parts/panel.tsx";
import { Moves, Outcome, Owner } from "./act.tsx";
import { type Changing, useChange } from "./change.ts";
import { About, DeviceLinks, InStep, Title } from "./issue_detail.tsx";
import type { Order } from "./item.ts";
import { Photos } from "./photos.tsx";
import { orderAt } from "./replay.ts";
import { say } from "./say.ts";
import { orders_path, type Photo, refresh_ms, useIssue } from "./store.ts";
import { Comment, Story } from "./story.tsx";
import { deviceText, numberText, wordOf } from "./value.ts";

/** A work order with its photos, and the tag that a change names it by. */
type WholeOrder = {
  readonly order: Order;
  readonly issue: WorkOrderRow["issue"];
  readonly photos: readonly Photo[];
  readonly etag: string | undefined;
};

/** The details of a work order. */
export function OrderDetail({ id }: { readonly id: string }) {
  const whole = useOrder(id);
  return (
    <Loaded of={whole} isEmpty={(it) => it === null} empty={say().not_there}>
      {(it) => <Whole whole={it!} />}
    </Loaded>
  );
}

function useOrder(id: string): Load<WholeOrder | null> {
  const at = at_ms.value;
  const key = [project.value!.id, id, at] as const;
  return useLoad(key, async ([project_id], signal) => {
    const path = `${orders_path}/${encodeURIComponent(id)}`;
    const { value, etag } = await getTagged<
      WorkOrderRow & { readonly photos: readonly Photo[] }
    >(path, { project_id, include: "photos" }, signal);
    const { photos, issue, ...row } = value;
    const order = orderAt(row as unknown as Order, at ?? Infinity);
    if (order === undefined) return null;
    const until = at ?? Infinity;
    const there = photos.filter(({ created_at }) => Date.parse(created_at) <= until);
    return { order, issue, photos: there, etag };
  }, { refresh_ms, again: work_beat.value });
}

function Whole({ whole }: { readonly whole: WholeOrder }) {
  const { order, issue, photos, etag } = whole;
  const path = `${orders_path}/${encodeURIComponent(order.id)}`;
  const changing = useChange({ path, read: order, etag });
  const mayChange = may("manage") && at_ms.value === undefined && order.status !== null;
  const moves = order.status === null ? [] : orderMoves(order.status);
  return (
    <>
      <Title of={order} kind="order" title={order.title} />
      <InStep of={order} />
      {order.status === null && <p class="quiet">{say().status_then}</p>}
      {mayChange && <Moves moves={moves} changing={changing} />}
      <Outcome changing={changing} />
      <Facts order={order} issue={issue} />
      <About of={order} what="order" changing={changing} mayChange={mayChange} />
      <Lines
        order={order}
        changing={changing}
        mayChange={mayChange && moves.length > 0}
      />
      {mayChange && <Comment issue_id={issue.id} />}
      <Photos path={path} photos={photos} mayChange={mayChange} />
      <Owner of={order} changing={changing} mayChange={mayChange} />
      <IssueStory id={issue.id} />
    </>
  );
}

function Facts({ order, issue }: Pick<WholeOrder, "order" | "issue">) {
  const { due_date, work_type, devices } = order;
  const due_ms = due_date === null ? undefined : Date.parse(due_date);
  const isLate = due_ms !== undefined && due_ms < moment_ms.value &&
    order.status !== "completed" && order.status !== "cancelled";
  return (
    <dl class="work-facts">
      <dt>{say().one_issue}</dt>
      <dd>
        <Link page="work" params={{ issue: issue.id }}>
          {numberText(issue.number)} · {issue.name}
        </Link>
      </dd>
      <dt>{say().due}</dt>
      <dd class={isLate ? "work-late" : undefined}>
        {due_ms === undefined ? say().no_due : instantText(due_ms, zone.value)}
      </dd>
      <dt>{say().work_type}</dt>
      <dd>{wordOf("type", work_type)}</dd>
      <dt>{say().devices}</dt>
      <dd>
        {devices.length === 0 && say().no_devices}
        <DeviceLinks ids={devices.map(({ device_id }) => device_id)} />
      </dd>
    </dl>
  );
}

/** The work on each device, where there are several. */
function Lines({ order, changing, mayChange }: {
  readonly order: Order;
  readonly changing: Changing;
  readonly mayChange: boolean;
}) {
  const { devices } = order;
  if (devices.length < 2) return null;
  const set = (i: number, status: string) =>
    changing.change({
      devices: devices.map(({ device_id, component, status: now }, at) => (
        { device_id, component, status: at === i ? status : now }
      )),
    });
  return (
    <section>
      <h3>{say().lines}</h3>
      {devices.map(({ device_id, status }, i) => (
        <label class="row work-line">
          <span>{deviceText(device_id)}</span>
          <select
            value={status}
            disabled={!mayChange || changing.state.value.is_busy}
            onChange={({ currentTarget }) => void set(i, currentTarget.value)}
          >
            {line_statuses.map((it) => <option value={it}>{wordOf("line", it)}</option>)}
          </select>
        </label>
      ))}
    </section>
  );
}

/** What was said and done about the issue. */
function IssueStory({ id }: { readonly id: string }) {
  const whole = useIssue(id);
  return (
    <Loaded of={whole} isEmpty={(it) => it === null} empty={say().not_there}>
      {(it) => <Story history={it!.history} />}
    </Loaded>
  );
}
