// A new issue or a new work order.
import { useSignal } from "@preact/signals";
import { send } from "../frame/api.ts";
import { now_ms } from "../frame/clock.ts";
import { work_beat } from "../frame/live.ts";
import { change, param } from "../frame/place.ts";
import { deviceOf } from "../frame/plant.ts";
import { project, zone } from "../frame/session.ts";
import { useSending } from "../parts/act.ts";
import { Refused } from "./act.tsx";
import { bodyOf, type Draft, empty_draft, localText } from "./draft.ts";
import { Fields } from "./fields.tsx";
import { isOpen, type Issue } from "./item.ts";
import { say } from "./say.ts";
import { numberText } from "./value.ts";
import { issues_path, orders_path } from "./store.ts";
import { choosing } from "./view.ts";

type What = "issue" | "order";

/** The form; of a work order, `issues` has those that it can be under. */
export function NewForm({ what, issues }: {
  readonly what: What;
  readonly issues: readonly Issue[];
}) {
  const draft = useSignal(firstDraft(what));
  const sending = useSending();
  const submit = async () => {
    const id = await create(what, draft.peek());
    work_beat.value++;
    change(choosing({ kind: what, id }));
  };
  const open = issues.filter(isOpen);
  return (
    <form
      class="work-form"
      onSubmit={(event) => {
        event.preventDefault();
        void sending.send(submit);
      }}
    >
      <h2>{what === "issue" ? say().new_issue : say().new_order}</h2>
      {what === "order" && <IssueChoice draft={draft} issues={open} />}
      <Fields what={what} draft={draft.value} onChange={(it) => draft.value = it} />
      <Refused problem={sending.problem} />
      <div class="row">
        <button type="submit" class="main" disabled={sending.is_sending}>
          {sending.is_sending ? say().sending : what === "issue" ? say().open_it : say().make_it}
        </button>
        <button type="button" onClick={() => change(choosing(undefined))}>{say().cancel}</button>
      </div>
      {what === "issue" && <p class="quiet small">{say().photos_then}</p>}
    </form>
  );
}

/** The issue that a work order is made under. */
function IssueChoice({ draft, issues }: {
  readonly draft: { value: Draft };
  readonly issues: readonly Issue[];
}) {
  return (
    <label>
      {say().under_issue}
      <select
        required
        value={draft.value.issue_id}
        onChange={({ currentTarget }) => {
          const issue = issues.find(({ id }) => id === currentTarget.value);
          const device_ids = issue?.devices.map(({ device_id }) => device_id) ?? [];
          draft.value = { ...draft.value, issue_id: currentTarget.value, device_ids };
        }}
      >
        <option value="">{issues.length === 0 ? say().no_open_issue : say().choose}</option>
        {issues.map(({ id, number, name }) => (
          <option value={id}>{numberText(number)} · {name}</option>
        ))}
      </select>
    </label>
  );
}

/** What stands in the form at first: what the address names. */
function firstDraft(what: What): Draft {
  const device = deviceOf(param("device"));
  return {
    ...empty_draft,
    issue_id: param("of") ?? "",
    device_ids: what === "issue" && device ? [device.device_id] : [],
    from: what === "issue" ? localText(new Date(now_ms.peek()).toISOString(), zone.peek()) : "",
  };
}

/** Makes what a draft says, and answers its id. Throws a `Problem`. */
async function create(what: What, draft: Draft): Promise<string> {
  const body = bodyOf(draft, { what, zone: zone.peek() });
  const path = what === "issue" ? issues_path : orders_path;
  const { id } = await send<{ readonly id: string }>("POST", path, {
    query: { project_id: project.peek()!.id },
    body: what === "issue" ? body : { ...body, issue_id: draft.issue_id },
  });
  return id;
}
