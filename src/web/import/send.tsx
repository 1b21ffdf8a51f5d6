// Sends a file: one that is dropped here, or chosen.
import { useSignal } from "@preact/signals";
import { percentText } from "../frame/number.ts";
import { useSending } from "../parts/act.ts";
import { Panel, problemText } from "../parts/panel.tsx";
import { say } from "./say.ts";
import { type ImportedFile, sendFile } from "./store.ts";

/** A file on its way. */
type Progress = { readonly name: string; readonly share: number; readonly stop: () => void };

/** Takes a file, one at a time, and tells how far it is and why the last one was refused. */
function useTaking(onSent: (file: ImportedFile) => void) {
  const sending = useSending();
  const progress = useSignal<Progress | undefined>(undefined);
  const take = (file: File) => {
    const { name } = file;
    const abort = new AbortController();
    const { signal } = abort;
    const onProgress = (share: number) =>
      progress.value = { name, share, stop: () => abort.abort() };
    onProgress(0);
    const work = async () => onSent(await sendFile(file, { onProgress, signal }));
    void sending.send(() =>
      work().catch((error) => {
        if (!signal.aborted) throw error;
      })
    ).finally(() => progress.value = undefined);
  };
  return { sending, progress, take };
}

/** The place to drop a file on; `onSent` is told once it is at the service. */
export function SendPanel({ onSent }: { readonly onSent: (file: ImportedFile) => void }) {
  const { sending, progress, take: takeOne } = useTaking(onSent);
  const has_more = useSignal(false);
  const is_over = useSignal(false);
  const take = ([file, ...others]: readonly File[]) => {
    has_more.value = others.length > 0;
    if (file && !sending.is_sending) takeOne(file);
  };
  const { name = "", share, stop } = progress.value ?? {};
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
            <button type="button" onClick={stop}>{say().stop}</button>
          </p>
        )}
        {sending.problem && <p class="said failed" role="alert">{problemText(sending.problem)}</p>}
      </div>
    </Panel>
  );
}
