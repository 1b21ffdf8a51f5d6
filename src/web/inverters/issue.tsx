// Opening an issue about an inverter, filled in from what is known of it.
import type { ComponentChildren } from "preact";
import { type Signal, useSignal } from "@preact/signals";
import { send } from "../frame/api.ts";
import { at_ms } from "../frame/clock.ts";
import type { Device } from "../frame/plant.ts";
import { may, project } from "../frame/session.ts";
import { useSending } from "../parts/act.ts";
import { problemText } from "../parts/panel.tsx";
import { work_priorities, type WorkPriority } from "../../model/work/issue.ts";
import { why_format } from "./facts.ts";
import { say } from "./say.ts";
import { verdictOf, type WhyFacts, whySentence } from "./why.ts";

type IssueProps = {
  readonly device: Device;
  readonly facts: WhyFacts;
  readonly onOpened: () => void;
};

/** Buttons: one that opens an issue, by its form, beside others. */
export function DeviceIssue({ device, facts, onOpened, children }: IssueProps & {
  readonly children: ComponentChildren;
}) {
  const is_open = useSignal(false);
  const opened = useSignal<number | undefined>(undefined);
  const is_past = at_ms.value !== undefined;
  if (!is_open.value || is_past) {
    return (
      <>
        <p class="actions">
          {may("manage") && !is_past && (
            <button type="button" onClick={() => is_open.value = true}>{say().open_issue}</button>
          )}
          {children}
        </p>
        {may("manage") && is_past && <p class="quiet">{say().only_now}</p>}
        {opened.value !== undefined && <p role="status">{say().issue_opened(opened.value)}</p>}
      </>
    );
  }
  return (
    <Fields
      device={device}
      facts={facts}
      onDone={(number) => {
        is_open.value = false;
        opened.value = number;
        if (number !== undefined) onOpened();
      }}
    />
  );
}

function Fields({ device, facts, onDone }: Omit<IssueProps, "onOpened"> & {
  readonly onDone: (number: number | undefined) => void;
}) {
  const verdict = verdictOf(facts);
  const name = useSignal(say().issue_title(device.name, say()[`matter_${verdict}`]));
  const description = useSignal(whySentence(facts, say(), why_format));
  const priority = useSignal<WorkPriority>(verdict === "out" ? "high" : "medium");
  const sending = useSending();
  const save = async () => {
    const { number } = await openIssue(device, facts, {
      name: name.value,
      description: description.value,
      priority: priority.value,
    });
    onDone(number);
  };
  return (
    <form
      class="issue-form"
      onSubmit={(event) => {
        event.preventDefault();
        void sending.send(save);
      }}
    >
      <label>
        {say().issue_name}
        <input
          required
          autofocus
          value={name.value}
          onInput={({ currentTarget }) => name.value = currentTarget.value}
        />
      </label>
      <label>
        {say().issue_text}
        <textarea
          rows={4}
          value={description.value}
          onInput={({ currentTarget }) => description.value = currentTarget.value}
        />
      </label>
      <PriorityChoice of={priority} />
      {sending.problem && <p role="alert">{problemText(sending.problem)}</p>}
      <p class="actions">
        <button type="submit" class="main" disabled={sending.is_sending}>{say().save}</button>
        <button type="button" onClick={() => onDone(undefined)}>{say().cancel}</button>
      </p>
    </form>
  );
}

function PriorityChoice({ of: priority }: { readonly of: Signal<WorkPriority> }) {
  return (
    <label>
      {say().priority}
      <select
        value={priority.value}
        onChange={({ currentTarget }) => priority.value = currentTarget.value as WorkPriority}
      >
        {work_priorities.map((it) => <option value={it}>{say()[`priority_${it}`]}</option>)}
      </select>
    </label>
  );
}

type Sent = { readonly name: string; readonly description: string; readonly priority: string };

/** Opens the issue. Throws a `Problem`. */
async function openIssue(
  { device_id }: Device,
  { states, from_ms, to_ms }: WhyFacts,
  sent: Sent,
): Promise<{ readonly number: number }> {
  const first = states.find((it) => it.to_ms > from_ms && it.from_ms < to_ms);
  const from = new Date(Math.max(from_ms, first?.from_ms ?? from_ms)).toISOString();
  return await send("POST", "/platform/v1/issues", {
    query: { project_id: project.value!.id },
    body: { ...sent, effective_from: from, devices: [{ device_id, effective_from: from }] },
  });
}
