// The fields of a rule's form.
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { rule_kinds, type RuleKind } from "../../model/rules/kind.ts";
import { devices, plant_load } from "../frame/plant.ts";
import { definitionOf, type Draft, type Flaw, withKind } from "./draft.ts";
import { alarm_fields, type Field, kind_fields, name_fields, watch_fields } from "./kinds.ts";
import { say } from "./say.ts";
import { unitOf } from "./trial.ts";
import { wordOf } from "./word.ts";

type FormProps = {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly flaws: readonly Flaw[];
  readonly isDisabled: boolean;
  /** Whether the rule is not there yet: only then its key can be chosen. */
  readonly isNew: boolean;
};

/** The whole form. */
export function RuleFields(props: FormProps) {
  const { draft, onChange, isDisabled, isNew } = props;
  const group = (fields: readonly Field[]) =>
    fields.map((field) => <Entry field={field} {...props} key={field.name} />);
  return (
    <fieldset disabled={isDisabled}>
      <legend class="hidden">{say().editor}</legend>
      <label>
        {say().kind}
        <select
          value={draft.kind}
          onChange={({ currentTarget }) =>
            onChange(withKind(draft, currentTarget.value as RuleKind))}
        >
          {rule_kinds.map((it) => <option value={it}>{wordOf("kind", it)}</option>)}
        </select>
      </label>
      <p class="quiet small">{wordOf("holds", draft.kind)}</p>
      <div class="rules-fields">
        {group(name_fields.filter(({ name }) => isNew || name !== "key"))}
      </div>
      <h3>{say().watches}</h3>
      <Watch {...props} />
      <h3>{say().condition}</h3>
      <div class="rules-fields">{group(kind_fields[draft.kind])}</div>
      <h3>{say().its_alarms}</h3>
      <div class="rules-fields">{group(alarm_fields)}</div>
    </fieldset>
  );
}

const ways = ["measure", "tag", "event_word"] as const;

/** What it watches: in one of three ways, and of which devices. */
function Watch(props: FormProps) {
  const { draft, onChange } = props;
  const { texts } = draft;
  const way = useSignal(ways.find((it) => texts[it]) ?? "measure");
  const choose = (wanted: typeof ways[number]) => {
    way.value = wanted;
    const none = Object.fromEntries(ways.map((it) => [it, ""]));
    const own = { ...none, event_word: wanted === "event_word" ? "yes" : "" };
    onChange({ ...draft, texts: { ...texts, ...own } });
  };
  const shown = watch_fields.filter(({ name }) =>
    name === way.value || !(ways as readonly string[]).includes(name)
  ).filter(({ name }) => name !== "event_word");
  return (
    <div class="rules-fields">
      <label>
        {say().way}
        <select
          value={way.value}
          onChange={({ currentTarget }) => choose(currentTarget.value as typeof way.value)}
        >
          {ways.map((it) => <option value={it}>{say()[`way_${it}`]}</option>)}
        </select>
      </label>
      {shown.map((field) => <Entry field={field} {...props} key={field.name} />)}
    </div>
  );
}

/** What there is in the plant to be watched, by field. */
function suggestions(name: string): readonly string[] {
  const { sensors = [] } = plant_load.value.data ?? {};
  const all = [...devices.value.flatMap((device) => device.sensors), ...sensors];
  const found = name === "tag"
    ? all.map(({ sensor_tag }) => sensor_tag)
    : name === "measure"
    ? all.map(({ component_measure }) => component_measure)
    : name === "component"
    ? devices.value.map(({ type }) => type)
    : name === "device"
    ? devices.value.map(({ key }) => key)
    : [];
  return [...new Set(found)].toSorted();
}

/** A field with its unit and what is wrong with it. */
function Entry({ field, draft, onChange, flaws }: FormProps & { readonly field: Field }) {
  const { name, type } = field;
  const flaw = flaws.find((it) => it.name === name)?.flaw;
  const value = draft.texts[name] ?? "";
  const set = (text: string) => onChange({ ...draft, texts: nextTexts(draft, name, text) });
  if (type === "flag") {
    return (
      <label class="rules-flag">
        <input
          type="checkbox"
          checked={value !== ""}
          onChange={({ currentTarget }) => set(currentTarget.checked ? "yes" : "")}
        />
        {wordOf("field", name)}
      </label>
    );
  }
  const unit = type === "number" ? unitText(field, draft) : "";
  return (
    <label class={type === "labels" || name === "description" ? "rules-wide" : undefined}>
      <span>
        {wordOf("field", name)}
        {unit && `, ${unit}`}
        {flaw && value !== "" && <b class="rules-flaw">{say()[`flaw_${flaw}`]}</b>}
      </span>
      <Input field={field} value={value} onInput={set} />
    </label>
  );
}

/** The texts with another one; the key of a new rule follows its name until it is written. */
function nextTexts({ texts }: Draft, name: string, text: string): Draft["texts"] {
  const isFollowing = name === "name" && ["", keyOf(texts.name ?? "")].includes(texts.key);
  return { ...texts, ...(isFollowing ? { key: keyOf(text) } : {}), [name]: text };
}

function keyOf(name: string): string {
  return name.normalize("NFKD").toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

function unitText(field: Field, draft: Draft): string {
  if (field.type !== "number") return "";
  const { sensors = [] } = plant_load.value.data ?? {};
  const all = [...devices.value.flatMap((device) => device.sensors), ...sensors];
  const unit = unitOf(definitionOf(draft).definition, all);
  return field.unit === "value" ? unit : field.unit === "per_min" ? `${unit}/min` : field.unit;
}

function Input({ field, value, onInput }: {
  readonly field: Field;
  readonly value: string;
  readonly onInput: (text: string) => void;
}) {
  const list = useId();
  const { name, type } = field;
  if (type === "choice" || type === "word") {
    const options = field.options.includes(value) || value === ""
      ? field.options
      : [...field.options, value];
    return (
      <select value={value} onChange={({ currentTarget }) => onInput(currentTarget.value)}>
        {field.is_required && value === "" && <option value="">{say().choose}</option>}
        {options.map((it) => <option value={it}>{wordOf("option", it)}</option>)}
      </select>
    );
  }
  if (type === "labels" || name === "description") {
    return (
      <textarea
        rows={3}
        value={value}
        placeholder={type === "labels" ? say().labels_hint : undefined}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    );
  }
  const known = suggestions(name);
  return (
    <>
      <input
        type={type === "number" ? "number" : "text"}
        step="any"
        value={value}
        list={known.length > 0 ? list : undefined}
        placeholder={type === "numbers" ? "0, 7" : name === "tag" ? "{device}.TEMP" : undefined}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {known.length > 0 && <datalist id={list}>{known.map((it) => <option value={it} />)}
      </datalist>}
    </>
  );
}
