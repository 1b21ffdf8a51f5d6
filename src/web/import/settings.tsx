// The settings of a file as a form; what a refusal asks for is marked, and has the focus.
import { useEffect, useId, useRef } from "preact/hooks";
import { isBusy } from "../../model/samples/import.ts";
import { Panel } from "../parts/panel.tsx";
import { wordIn } from "../frame/words.ts";
import { type Draft, foundText } from "./draft.ts";
import { say } from "./say.ts";
import type { ImportedFile, Setting } from "./store.ts";

/** Where the form is folded until it is wanted: it is long there. */
const narrow = "(max-width: 720px)";

/** The form; Enter in a field looks through the file again. */
export function SettingsPanel({ file, known, draft, onChange, onLook }: {
  readonly file: ImportedFile;
  readonly known: readonly Setting[];
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly onLook: () => void;
}) {
  const form = useRef<HTMLFormElement>(null);
  const { asked, check, state } = file;
  useEffect(() => {
    if (state === "refused") form.current?.querySelector<HTMLElement>(".asked-for [name]")?.focus();
  }, [state, asked.join()]);
  const set = (name: string, text: string) =>
    onChange({ ...draft, texts: { ...draft.texts, [name]: text } });
  return (
    <Panel title={say().settings}>
      <details open={asked.length > 0 || !matchMedia(narrow).matches}>
        <summary>{say().settings_fields}</summary>
        <p class={asked.length > 0 ? "import-asked" : "quiet small"}>
          {asked.length > 0 ? say().settings_refused : say().settings_help}
        </p>
        <form
          ref={form}
          onSubmit={(event) => {
            event.preventDefault();
            onLook();
          }}
        >
          <fieldset class="import-fields" disabled={isBusy(state)}>
            <legend class="hidden">{say().settings}</legend>
            {inOrder(known, asked).map((setting) => {
              const { name } = setting;
              const is_asked = asked.includes(name);
              return (
                <label key={name} class={is_asked ? "asked-for" : undefined}>
                  <span>
                    {wordIn(say(), `set_${name}`) ?? name}
                    {is_asked && <b>{say().asked}</b>}
                  </span>
                  <Input
                    setting={setting}
                    value={draft.texts[name] ?? ""}
                    found={check ? foundText(check, name) : ""}
                    onInput={(text) => set(name, text)}
                  />
                </label>
              );
            })}
          </fieldset>
          <button type="submit" class="hidden" tabIndex={-1}>{say().look}</button>
        </form>
      </details>
    </Panel>
  );
}

/** The settings, those that are asked for first. */
function inOrder(known: readonly Setting[], asked: readonly string[]): readonly Setting[] {
  const isAsked = ({ name }: Setting) => Number(asked.includes(name));
  return known.toSorted((a, b) => isAsked(b) - isAsked(a));
}

function Input({ setting, value, found, onInput }: {
  readonly setting: Setting;
  readonly value: string;
  /** What was found in the file. */
  readonly found: string;
  readonly onInput: (text: string) => void;
}) {
  const zones = useId();
  const { name, kind, choices } = setting;
  if (choices.length > 0) {
    return (
      <select
        name={name}
        value={value}
        onChange={({ currentTarget }) => onInput(currentTarget.value)}
      >
        <option value="">{found && `${choiceText(setting, found)} · ${say().found}`}</option>
        {choices.map((it) => <option value={it.value}>{choiceText(setting, it.value)}</option>)}
      </select>
    );
  }
  if (kind === "list") {
    return (
      <textarea
        name={name}
        rows={Math.max(2, value.split("\n").length)}
        value={value}
        placeholder={found || say().one_a_line}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    );
  }
  return (
    <>
      <input
        name={name}
        value={value}
        placeholder={found}
        inputMode={kind === "count" ? "numeric" : undefined}
        pattern={kind === "count" ? "\\d*" : undefined}
        list={name === "timezone" ? zones : undefined}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {name === "timezone" && (
        <datalist id={zones}>
          {Intl.supportedValuesOf("timeZone").map((zone) => <option value={zone} />)}
        </datalist>
      )}
    </>
  );
}

/** A choice in words, with its example. */
function choiceText({ choices }: Setting, value: string): string {
  const { example } = choices.find((it) => it.value === value) ?? {};
  const word = wordIn(say(), `choice_${value}`) ?? value;
  return example ? `${word}: ${example}` : word;
}
