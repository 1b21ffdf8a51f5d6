// The fields of an issue or a work order, for a new one and for a change.
import { work_limits } from "../../model/work/limits.ts";
import { work_priorities, type WorkPriority } from "../../model/work/issue.ts";
import { work_types } from "../../model/work/work_order.ts";
import { people } from "../frame/people.ts";
import { session } from "../frame/session.ts";
import { DevicePicker } from "../parts/device_picker.tsx";
import type { Draft } from "./draft.ts";
import { say } from "./say.ts";
import { wordOf } from "./value.ts";

/** All of them. */
export function Fields({ what, draft, onChange }: {
  readonly what: "issue" | "order";
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}) {
  const set = (part: Partial<Draft>) => onChange({ ...draft, ...part });
  return (
    <>
      <label>
        {what === "issue" ? say().what_is_wrong : say().what_to_do}
        <input
          required
          maxLength={work_limits.name_length}
          value={draft.name}
          onInput={({ currentTarget }) => set({ name: currentTarget.value })}
        />
      </label>
      <label>
        {say().description}
        <textarea
          rows={4}
          maxLength={work_limits.text_length}
          value={draft.description}
          onInput={({ currentTarget }) => set({ description: currentTarget.value })}
        />
      </label>
      <DevicePicker
        label={say().devices}
        ids={draft.device_ids}
        onChange={(device_ids) => set({ device_ids })}
      />
      <div class="work-pairs">
        <PrioritySelect value={draft.priority} onChange={(priority) => set({ priority })} />
        <AssigneeSelect
          value={draft.assigned_to}
          onChange={(assigned_to) => set({ assigned_to })}
        />
        {what === "issue"
          ? (
            <>
              <Time label={say().since} value={draft.from} onChange={(from) => set({ from })} />
              <Time label={say().until} value={draft.to} onChange={(to) => set({ to })} />
            </>
          )
          : (
            <>
              <Time label={say().due} value={draft.due} onChange={(due) => set({ due })} />
              <TypeSelect value={draft.work_type} onChange={(it) => set({ work_type: it })} />
            </>
          )}
      </div>
    </>
  );
}

/** How urgent it is. */
export function PrioritySelect({ value, isDisabled, onChange }: {
  readonly value: string;
  readonly isDisabled?: boolean;
  readonly onChange: (priority: WorkPriority) => void;
}) {
  return (
    <label>
      {say().priority}
      <select
        value={value}
        disabled={isDisabled}
        onChange={({ currentTarget }) => onChange(currentTarget.value as WorkPriority)}
      >
        {work_priorities.map((it) => <option value={it}>{wordOf("priority", it)}</option>)}
      </select>
    </label>
  );
}

/** Who is to do it; those whom the reader may know. */
export function AssigneeSelect({ value, name, isDisabled, onChange }: {
  readonly value: string;
  /** What the present one is called, where the reader may not know everybody. */
  readonly name?: string;
  readonly isDisabled?: boolean;
  readonly onChange: (user_id: string) => void;
}) {
  const { user } = session.value ?? {};
  const own = user ? [{ id: user.id, name: say().me(user.name) }] : [];
  const others = people.value.filter(({ id }) => id !== user?.id);
  const known = [...own, ...others];
  return (
    <label>
      {say().assignee}
      <select
        value={value}
        disabled={isDisabled}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        <option value="">{say().nobody}</option>
        {known.map((it) => <option value={it.id}>{it.name}</option>)}
        {value && !known.some(({ id }) => id === value) && (
          <option value={value}>{name ?? say().somebody}</option>
        )}
      </select>
    </label>
  );
}

function TypeSelect({ value, onChange }: {
  readonly value: string;
  readonly onChange: (type: string) => void;
}) {
  const words: readonly string[] = work_types;
  return (
    <label>
      {say().work_type}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {(words.includes(value) ? words : [value, ...words]).map((it) => (
          <option value={it}>{wordOf("type", it)}</option>
        ))}
      </select>
    </label>
  );
}

function Time({ label, value, onChange }: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (local: string) => void;
}) {
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}
