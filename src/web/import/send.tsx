// Sends a file: one that is dropped here, or chosen.
import { useSignal } from "@preact/signals";
import { percentText } from "../frame/number.ts";
import { useSending } from "../parts/act.ts";
import { Panel, problemText } from "../parts/panel.tsx";
import { say } from "./say.ts";
import { type ImportedFile, sendFile } from "./store.ts";

/** The place to drop a file on; `onSent` is told once it is at the service. */
export function SendPanel({ onSent }: { readonly onSent: (file: ImportedFile) => void }) {
  const sending = useSending();
  const progress = useSignal<{ readonly name: string; readonly share: number } | undefined>(
    undefined,
  );
  const has_more = useSignal(false);
  const is_over = useSignal(false);
  const take = (files: readonly File[]) => {
    const [file] = files;
    has_more.value = files.length > 1;
    if (!file) return;
    const tell = (share: number) => progress.value = { name: file.name, share };
    tell(0);
    void sending.send(async () => onSent(await sendFile(file, tell)))
      .finally(() => progress.value = undefined);
  };
  const { name = "", share } = progress.value ?? {};
  return (
    <Panel title={say().title}>
      <div
        class={is_over.value ? "import-drop over" : "import-drop"}
        onDragOver={(event) => {
          event.preventDefault();
          is_over.value = true;
        }}
        onDragLeave={() => is_over.value = false}
        onDrop={(event) => {
          event.preventDefault();
          is_over.value = false;
          take([...event.dataTransfer?.files ?? []]);
        }}
      >
        <p class="import-here">{say().drop}</p>
        <label class="button import-choose">
          {say().choose}
          <input
            type="file"
            disabled={sending.is_sending}
            onChange={({ currentTarget }) => {
              take([...currentTarget.files ?? []]);
              currentTarget.value = "";
            }}
          />
        </label>
        <p class="quiet small">{say().kinds}</p>
        {has_more.value && <p role="status">{say().one_only}</p>}
        {share !== undefined && (
          <p role="status" class="import-progress">
            {say().sending(name, percentText(share, 0))}
            <progress value={share} aria-label={name} />
          </p>
        )}
        {sending.problem && <p class="said failed" role="alert">{problemText(sending.problem)}</p>}
      </div>
    </Panel>
  );
}
