// Opening an issue from an alarm.
import { useSignal } from "@preact/signals";
import { send } from "../frame/api.ts";
import { Problem } from "../frame/api.ts";
import { work_beat } from "../frame/live.ts";
import { open } from "../frame/place.ts";
import { project } from "../frame/session.ts";
import { problemText } from "../parts/panel.tsx";
import type { Alarm } from "./alarm.ts";
import { ActionForm } from "./forms.tsx";
import { say } from "./say.ts";

type Opened = { readonly id: string; readonly number: number };

/** What is said of the new issue; what is not said, the service takes from the alarm. */
export function IssueForm({ alarm }: { readonly alarm: Alarm }) {
  const { occurrence_id, rule_name, device_name, source_tag } = alarm;
  const name = useSignal(`${rule_name}: ${device_name ?? source_tag}`);
  const problem = useSignal<Problem | undefined>(undefined);
  const openIssue = async () => {
    try {
      const issue = await send<Opened>("POST", "/platform/v1/issues", {
        query: { project_id: project.peek()!.id },
        body: { name: name.value, from: { alarm: occurrence_id } },
      });
      work_beat.value++;
      open("work", { issue: issue.id });
    } catch (error) {
      problem.value = error instanceof Problem ? error : new Problem(0, "failed", String(error));
    }
  };
  return (
    <ActionForm title={say().issue_title} button={say().issue_do} onSubmit={openIssue}>
      <label>
        {say().issue_name}
        <input
          type="text"
          data-first
          required
          value={name.value}
          onInput={({ currentTarget }) => name.value = currentTarget.value}
        />
      </label>
      {problem.value && <p class="refused" role="alert">{problemText(problem.value)}</p>}
    </ActionForm>
  );
}
