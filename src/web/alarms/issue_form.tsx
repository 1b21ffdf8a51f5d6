// Opening an issue from an alarm.
import { useSignal } from "@preact/signals";
import { send } from "../frame/api.ts";
import { work_beat } from "../frame/live.ts";
import { open } from "../frame/place.ts";
import { project } from "../frame/session.ts";
import { useSending } from "../parts/act.ts";
import { problemText } from "../parts/panel.tsx";
import { fitPhoto } from "../parts/photo.ts";
import type { Alarm } from "../alarm/alarm.ts";
import { ActionForm } from "./forms.tsx";
import { actingUser } from "../alarm/people.ts";
import { say } from "../alarm/say.ts";

type Opened = { readonly id: string; readonly number: number };

/** What is said of the new issue; what is not said, the service takes from the alarm. */
export function IssueForm({ alarm }: { readonly alarm: Alarm }) {
  const { occurrence_id, rule_name, device_name, source_tag } = alarm;
  const name = useSignal(`${rule_name}: ${device_name ?? source_tag}`);
  const photos = useSignal<readonly File[]>([]);
  /** Set once it is open: what fails after that is the photos alone. */
  const opened = useSignal<Opened | undefined>(undefined);
  const sending = useSending();
  const openIssue = async () => {
    const query = { project_id: project.peek()!.id };
    const issue = opened.value ??= await send<Opened>("POST", "/platform/v1/issues", {
      query,
      body: { name: name.value, from: { alarm: occurrence_id }, user: actingUser() },
    });
    while (photos.value.length > 0) {
      const body = await fitPhoto(photos.value[0]);
      await send("POST", `/platform/v1/issues/${issue.id}/photos`, { query, body });
      photos.value = photos.value.slice(1);
    }
    work_beat.value++;
    open("work", { issue: issue.id });
  };
  const { problem } = sending;
  return (
    <ActionForm
      title={say().issue_title}
      button={say().issue_do}
      is_ready
      onSubmit={() => sending.send(openIssue)}
    >
      <label>
        {say().issue_name}
        <input
          type="text"
          required
          value={name.value}
          onInput={({ currentTarget }) => name.value = currentTarget.value}
        />
      </label>
      <PhotoField
        onPick={(files) => photos.value = files}
      />
      {sending.is_sending && <p class="quiet" role="status">{say().acting}</p>}
      {problem && opened.value && <p class="refused">{say().photo_failed}</p>}
      {problem && <p class="refused" role="alert">{problemText(problem)}</p>}
    </ActionForm>
  );
}

/** Where photos are taken or chosen. */
function PhotoField({ onPick }: { readonly onPick: (files: readonly File[]) => void }) {
  return (
    <label class="photo">
      {say().photo}
      <input
        type="file"
        accept="image/jpeg,image/png,image/webp"
        capture="environment"
        multiple
        onChange={({ currentTarget }) => onPick([...currentTarget.files ?? []])}
      />
    </label>
  );
}
