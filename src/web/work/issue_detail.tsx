// Everything about an issue, and what can be done with it.
import { useSignal } from "@preact/signals";
import { isActive, issueMoves } from "../../model/work/issue.ts";
import { getJson, send } from "../frame/api.ts";
import { at_ms } from "../frame/clock.ts";
import { work_beat } from "../frame/live.ts";
import { useLoad } from "../frame/load.ts";
import { change } from "../frame/place.ts";
import { deviceOf } from "../frame/plant.ts";
import { may, project, zone } from "../frame/session.ts";
import { instantText } from "../frame/zone.ts";
import { getAlarm } from "../alarms/store.ts";
import { Link } from "../parts/message.tsx";
import { Loaded } from "../parts/panel.tsx";
import { Priority } from "../parts/priority.tsx";
import { Asked } from "../parts/form.tsx";
import { Moves, Outcome, Owner } from "./act.tsx";
import { type Changing, useChange } from "./change.ts";
import { CostPanel } from "./cost_panel.tsx";
import { changeOf, type Draft, draftOfIssue, draftOfOrder } from "./draft.ts";
import { Fields } from "./fields.tsx";
import { digitOfWork, type Issue, itemsOf, type Order } from "./item.ts";
import { Card } from "./lists.tsx";
import { Photos } from "./photos.tsx";
import { say } from "./say.ts";
import { issues_path, useIssue, type WholeIssue } from "./store.ts";
import { alarmsOf, Comment, Story } from "./story.tsx";
import { deviceText, isOwnNumber, numberText, statusText, valueText, wordOf } from "./value.ts";

/** The details of an issue. */
export function IssueDetail({ id }: { readonly id: string }) {
  const whole = useIssue(id);
  return (
    <Loaded of={whole} isEmpty={(it) => it === null} empty={say().not_there}>
      {(it) => <Whole whole={it!} />}
    </Loaded>
  );
}

function Whole({ whole }: { readonly whole: WholeIssue }) {
  const { issue, history, photos, etag } = whole;
  const path = `${issues_path}/${encodeURIComponent(issue.id)}`;
  const changing = useChange({ path, read: issue, etag });
  const mayChange = may("manage") && at_ms.value === undefined;
  return (
    <>
      <Title of={issue} kind="issue" title={issue.name} />
      <InStep of={issue} />
      {mayChange && <Moves moves={issueMoves(issue.status)} changing={changing} />}
      <Outcome changing={changing} />
      <Owner of={issue} changing={changing} mayChange={mayChange} />
      <About of={issue} what="issue" changing={changing} mayChange={mayChange} />
      <Affected issue={issue} alarms={alarmsOf(history)} />
      {mayChange && <Comment issue_id={issue.id} />}
      <Photos path={path} photos={photos} mayChange={mayChange} />
      <Orders issue={issue} mayChange={mayChange} />
      <CostPanel issue={issue} />
      <Story history={history} />
      {mayChange && (
        <Asked
          button={say().delete_issue}
          question={say().delete_issue_sure}
          answer={say().delete_issue}
          onYes={() => remove(path)}
        />
      )}
    </>
  );
}

/** What it is, how urgent and how far. */
export function Title({ of, kind, title }: {
  readonly of: Pick<Issue | Order, "priority" | "number" | "status">;
  readonly kind: "issue" | "order";
  readonly title: string;
}) {
  return (
    <>
      <p class="row quiet">
        <Priority of={digitOfWork(of.priority)} name={wordOf("priority", of.priority)} />
        {say()[`one_${kind}`]} {numberText(of.number)}
        <b class="work-status">{statusText(of.status)}</b>
      </p>
      <h2>{title}</h2>
    </>
  );
}

type StepState = {
  readonly is_set: boolean;
  readonly waiting: number;
  readonly in_step_since: string | null;
  readonly refused: string | null;
  readonly connected: boolean;
  readonly trouble_since: string | null;
};

const refresh_ms = 5_000;

/** How far the centre knows what is here; nothing where there is no centre. */
export function InStep({ of }: { readonly of: Pick<Issue | Order, "id" | "number"> }) {
  const key = at_ms.value === undefined ? [project.value!.id, of.id] as const : undefined;
  const { data } = useLoad(
    key,
    ([project_id, id], signal) =>
      getJson<StepState>("/platform/v1/upstream/work", { project_id, id }, signal),
    { refresh_ms, again: work_beat.value },
  );
  if (!data?.is_set) return null;
  const { waiting, in_step_since, refused, connected, trouble_since } = data;
  const timeOf = (at: string) => instantText(Date.parse(at), zone.value);
  return (
    <p class={waiting > 0 ? "work-waits" : "work-waits quiet"} role="status">
      {waiting > 0 && say().waits_for_line(String(waiting))}
      {in_step_since && say().in_step_since(timeOf(in_step_since))}
      {refused && ` ${say().not_taken(refused)}`}
      {!connected && trouble_since && ` ${say().line_down_since(timeOf(trouble_since))}`}
      {isOwnNumber(of.number) && ` ${say().number_later}`}
    </p>
  );
}

/** The description and the times; as a form while they are being changed. */
export function About(
  props:
    & {
      readonly changing: Changing;
      readonly mayChange: boolean;
    }
    & ({ readonly of: Issue; readonly what: "issue" } | {
      readonly of: Order;
      readonly what: "order";
    }),
) {
  const { of, what, changing, mayChange } = props;
  const before = useSignal<Draft | undefined>(undefined);
  const draft = useSignal<Draft | undefined>(undefined);
  const begin = () => {
    const draftOf = what === "issue"
      ? draftOfIssue(of as Issue, zone.peek())
      : draftOfOrder(of as Order, zone.peek());
    before.value = draft.value = draftOf;
  };
  const save = async () => {
    const [old, after] = [before.peek()!, draft.peek()!];
    const body = changeOf({ before: old, after, row: of, what, zone: zone.peek() });
    if (Object.keys(body).length === 0 || await changing.change(body)) draft.value = undefined;
  };
  if (draft.value) {
    return (
      <form
        class="work-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Fields what={what} draft={draft.value} onChange={(it) => draft.value = it} />
        <div class="row">
          <button type="submit" class="main" disabled={changing.state.value.is_busy}>
            {say().save}
          </button>
          <button type="button" onClick={() => draft.value = undefined}>{say().cancel}</button>
        </div>
      </form>
    );
  }
  return (
    <div class="work-about">
      <p>{of.description ?? <span class="quiet">{say().no_description}</span>}</p>
      {mayChange && <button type="button" onClick={begin}>{say().edit}</button>}
    </div>
  );
}

/** Where it is wrong, since when, and which alarms told of it. */
function Affected({ issue, alarms }: {
  readonly issue: Issue;
  readonly alarms: readonly string[];
}) {
  const { devices, effective_from, effective_to } = issue;
  return (
    <dl class="work-facts">
      <dt>{say().devices}</dt>
      <dd>
        {devices.length === 0 && say().no_devices}
        <DeviceLinks ids={devices.map(({ device_id }) => device_id)} />
      </dd>
      <dt>{say().lasted}</dt>
      <dd>
        {effective_from === null
          ? say().time_unknown
          : `${instantText(Date.parse(effective_from), zone.value)} – ${
            effective_to === null ? say().so_far : valueText("effective_to", effective_to)
          }`}
      </dd>
      {alarms.length > 0 && (
        <>
          <dt>{say().alarms}</dt>
          <dd>
            {alarms.map((id) => <AlarmLink key={id} id={id} />)}
          </dd>
        </>
      )}
    </dl>
  );
}

/** An alarm by what it is of, and since when. */
function AlarmLink({ id }: { readonly id: string }) {
  const { data } = useLoad(id, (id, signal) => getAlarm(id, signal));
  return (
    <Link page="alarms" params={{ tab: "all", days: "31", alarm: id }}>
      {data
        ? `${data.rule_name}: ${data.device_name ?? data.source_tag}, ${
          instantText(data.raised_ms, zone.value)
        }`
        : say().alarm}
    </Link>
  );
}

/** Devices, each with the way to its page. */
export function DeviceLinks({ ids }: { readonly ids: readonly string[] }) {
  return (
    <span class="row">
      {ids.map((id) => {
        const device = deviceOf(id);
        return device?.type === "inverter"
          ? <Link page="inverters" params={{ device: device.key }}>{device.name}</Link>
          : <span>{deviceText(id)}</span>;
      })}
    </span>
  );
}

function Orders({ issue, mayChange }: { readonly issue: Issue; readonly mayChange: boolean }) {
  const orders = itemsOf(issue).filter(({ kind }) => kind === "order");
  return (
    <section>
      <h3>{say().orders_of(String(orders.length))}</h3>
      {orders.map((item) => <Card item={item} key={item.id} />)}
      {orders.length === 0 && <p class="quiet">{say().no_orders}</p>}
      {mayChange && isActive(issue) && (
        <button
          type="button"
          onClick={() => change({ issue: undefined, new: "order", of: issue.id })}
        >
          {say().new_order}
        </button>
      )}
    </section>
  );
}

async function remove(path: string): Promise<void> {
  await send("DELETE", path, { query: { project_id: project.peek()!.id } });
  work_beat.value++;
  change({ issue: undefined });
}
