// One file: what is with it, how it is understood, its settings, and what became of its rows.
import { useSignal } from "@preact/signals";
import { isBusy } from "../../model/samples/import.ts";
import { numberText } from "../frame/number.ts";
import { useSending } from "../parts/act.ts";
import { Asked } from "../parts/form.tsx";
import { Loaded, Panel, problemText } from "../parts/panel.tsx";
import { type Draft, draftOf, isChanged, settingsOf } from "./draft.ts";
import { ExcessList } from "./excess_list.tsx";
import { Told } from "./reason_list.tsx";
import { ReportPanel } from "./report.tsx";
import { say } from "./say.ts";
import { SettingsPanel } from "./settings.tsx";
import {
  begin,
  cancelWork,
  type ImportedFile,
  removeFile,
  type Setting,
  useFile,
} from "./store.ts";
import { UnderstoodPanels } from "./understood.tsx";
import { detailText, sizeText, stateText } from "./value.ts";

/** A file; `known` are the settings that there are. */
export function FileView({ id, known, onRemoved }: {
  readonly id: string;
  readonly known: readonly Setting[];
  readonly onRemoved: () => void;
}) {
  const again = useSignal(0);
  const draft = useSignal<Draft | undefined>(undefined);
  const loaded = useFile(id, again.value);
  const sending = useSending();
  const act = (work: () => Promise<unknown>) =>
    void sending.send(() => work().then(() => void again.value++));
  return (
    <Loaded of={loaded}>
      {(file) => {
        const now = draft.value ?? draftOf(file.settings);
        const change = (next: Draft) => draft.value = next;
        const start = (what: "check" | "import") =>
          act(() => begin(id, what, settingsOf(now, known)));
        const is_over = file.state === "imported";
        return (
          <>
            <StatePanel
              file={file}
              isChanged={isChanged(now, file.settings, known)}
              onStart={start}
              onCancel={() => act(() => cancelWork(id))}
              onRemove={() => sending.send(() => removeFile(id).then(onRemoved))}
            />
            {sending.problem && (
              <p class="said failed" role="alert">{problemText(sending.problem)}</p>
            )}
            {file.report && <ReportPanel file={file} report={file.report} />}
            {!is_over && file.state !== "sending" && (
              <SettingsPanel
                {...{ file, known, draft: now }}
                onChange={change}
                onLook={() => start("check")}
              />
            )}
            {file.check && (
              <UnderstoodPanels
                {...{ check: file.check, draft: now }}
                onChange={is_over || isBusy(file.state) ? undefined : change}
              />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

/** What is with the file, and what may be done with it now. */
function StatePanel({ file, isChanged, onStart, onCancel, onRemove }: {
  readonly file: ImportedFile;
  readonly isChanged: boolean;
  readonly onStart: (what: "check" | "import") => void;
  readonly onCancel: () => void;
  readonly onRemove: () => Promise<unknown>;
}) {
  const { name, import_id, bytes, state, percent, check } = file;
  const detail = detailText(file);
  const is_busy = isBusy(state);
  const is_sending = state === "sending";
  const is_ready = check !== null && state !== "refused" && !isChanged;
  return (
    <Panel title={name || import_id} aside={<span class="quiet">{sizeText(bytes)}</span>}>
      <p role="status" class="import-state">
        <b>{stateText(file)}</b>
        {is_busy && <progress max={100} value={percent} aria-label={stateText(file)} />}
      </p>
      {detail && (
        <p class="import-detail" role="alert">
          <Told text={detail} />
        </p>
      )}
      {check && <ExcessList excess={check.excess} />}
      {is_sending && <p class="quiet">{say().go_on_hint}</p>}
      {isChanged && !is_busy && state !== "imported" && (
        <p class="quiet" role="status">{say().changed_hint}</p>
      )}
      <div class="row import-acts">
        {is_busy && <button type="button" onClick={onCancel}>{say().stop}</button>}
        {!is_busy && !is_sending && state !== "imported" && (
          <>
            <button
              type="button"
              class={is_ready ? undefined : "main"}
              onClick={() => onStart("check")}
            >
              {say().look}
            </button>
            <button
              type="button"
              class={is_ready ? "main" : undefined}
              disabled={!is_ready}
              onClick={() => onStart("import")}
            >
              {check ? say().import_values(numberText(check.rows)) : say().import_whole}
            </button>
          </>
        )}
        <Asked
          button={say().remove}
          question={say().remove_question}
          answer={say().remove}
          onYes={onRemove}
        />
      </div>
    </Panel>
  );
}
