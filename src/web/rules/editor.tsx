// The editor of a rule: its form, what it would have raised, saving, and who was faster.
import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { changesOf } from "../alarm/rule_change.ts";
import { Problem, send } from "../frame/api.ts";
import { at_ms } from "../frame/clock.ts";
import { change } from "../frame/place.ts";
import { may, project, zone } from "../frame/session.ts";
import { instantText } from "../frame/zone.ts";
import { problemText } from "../parts/panel.tsx";
import { Asked } from "../parts/form.tsx";
import { type Definition, definitionOf, type Draft, draftOf } from "./draft.ts";
import { RuleFields } from "./fields.tsx";
import { say } from "./say.ts";
import { getVersions, type Rule, rules_path } from "./store.ts";
import { TrialPanel } from "./trial_panel.tsx";
import { Versions } from "./versions.tsx";

/** What is opened: a rule that there is, or a new one from a definition or a draft. */
export type Opened = {
  readonly id: string;
  readonly site: string | undefined;
  readonly rule?: Rule;
} & ({ readonly from: Definition } | { readonly draft: Draft });

type EditorProps = {
  readonly opened: Opened;
  readonly rules: readonly Rule[];
  /** Told of the rule as it is saved; of nothing where it was removed. */
  readonly onSaved: (rule: Rule | undefined) => void;
};

/** The editor. */
export function Editor({ opened, rules, onSaved }: EditorProps) {
  const { rule, site } = opened;
  const { first, draft, version, settle } = useDraft(opened);
  const saving = useSaving({ ...opened, version }, (saved) => {
    settle();
    onSaved(saved);
  });
  const mayChange = may("manage") && at_ms.value === undefined && rule?.origin !== "site_file";
  const { definition, flaws } = definitionOf(draft.value);
  const isTaken = !rule && rules.some(({ key, site: at }) => key === definition.key && at === site);
  const isChanged = !rule ||
    JSON.stringify(definition) !== JSON.stringify(definitionOf(first).definition);
  const tried = flaws.some(({ name }) => name !== "key" && name !== "name")
    ? undefined
    : { ...definition, key: "tried", name: "tried", enabled: true };
  return (
    <>
      <h2>{rule ? String(rule.definition.name) : say().new_rule}</h2>
      {rule && <Standing rule={rule} />}
      <TrialPanel site={site} definition={tried} />
      <form
        class="rules-form"
        onSubmit={(event) => {
          event.preventDefault();
          void saving.save(definition);
        }}
      >
        <RuleFields
          draft={draft.value}
          onChange={(it) => draft.value = it}
          flaws={flaws}
          isDisabled={!mayChange}
          isNew={!rule}
        />
        {isTaken && <p class="rules-refused">{say().taken}</p>}
        <Outcome saving={saving} definition={definition} />
        <div class="row">
          {mayChange && (
            <button
              type="submit"
              class="main"
              disabled={saving.is_busy || flaws.length > 0 || isTaken || !isChanged}
            >
              {saving.is_busy ? say().saving : say().save}
            </button>
          )}
          {rule && <Steps rule={rule} saving={saving} mayChange={mayChange} />}
        </div>
      </form>
      {rule && <Versions rule={rule} />}
    </>
  );
}

/** What is being written: it follows newer versions until it is otherwise than what was read. */
function useDraft(opened: Opened) {
  const { rule } = opened;
  const first = useSignal("draft" in opened ? opened.draft : draftOf(opened.from));
  const draft = useSignal(first.peek());
  const version = useSignal(rule?.version);
  const is_settled = useSignal(false);
  useLayoutEffect(() => {
    const isSame = JSON.stringify(draft.peek()) === JSON.stringify(first.peek());
    if (!rule || rule.version === version.peek() || !(isSame || is_settled.peek())) return;
    first.value = draft.value = draftOf(rule.definition);
    version.value = rule.version;
    is_settled.value = false;
  }, [rule?.version, is_settled.value]);
  const settle = () => is_settled.value = true;
  return { first: first.value, draft, version: version.value, settle };
}

/** Why it can't be changed here, or does not run. */
function Standing({ rule }: { readonly rule: Rule }) {
  return (
    <>
      {rule.suspended !== null && (
        <p class="rules-refused">
          <b>{say().state_suspended}:</b> {rule.suspended}. {say().suspended_hint}
        </p>
      )}
      {rule.origin === "site_file" && <p class="quiet">{say().declared}</p>}
    </>
  );
}

/** What else can be done with a rule. */
function Steps({ rule, saving, mayChange }: {
  readonly rule: Rule;
  readonly saving: Saving;
  readonly mayChange: boolean;
}) {
  const { definition, key } = rule;
  const isOff = definition.enabled === false;
  return (
    <>
      {may("manage") && at_ms.value === undefined && (
        <button
          type="button"
          onClick={() => change({ copy: key, rule: undefined })}
        >
          {say().copy}
        </button>
      )}
      {mayChange && (
        <>
          <button
            type="button"
            disabled={saving.is_busy}
            onClick={() => void saving.save({ ...definition, enabled: isOff })}
          >
            {isOff ? say().enable : say().disable}
          </button>
          <Asked
            button={say().remove}
            question={say().remove_sure}
            answer={say().remove}
            onYes={() => saving.remove()}
          />
        </>
      )}
    </>
  );
}

type Saving = {
  readonly is_busy: boolean;
  readonly problem: Problem | undefined;
  /** The newest version, where somebody else made it meanwhile. */
  readonly theirs: Rule | undefined;
  readonly save: (definition: Definition, version?: number) => Promise<void>;
  readonly remove: () => Promise<void>;
  readonly giveUp: () => void;
};

/** Saving and removing, only while the rule is what was read. */
function useSaving(
  { rule, site, version: read }: Opened & { readonly version: number | undefined },
  onSaved: EditorProps["onSaved"],
): Saving {
  const is_busy = useSignal(false);
  const problem = useSignal<Problem | undefined>(undefined);
  const theirs = useSignal<Rule | undefined>(undefined);
  const query = { project_id: project.value!.id, site };
  const attempt = async (work: () => Promise<Rule | undefined>) => {
    if (is_busy.peek()) return;
    is_busy.value = true;
    problem.value = theirs.value = undefined;
    try {
      onSaved(await work());
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.status === 412 && rule) theirs.value = (await getVersions(rule))[0];
      else problem.value = error;
    } finally {
      is_busy.value = false;
    }
  };
  return {
    is_busy: is_busy.value,
    problem: problem.value,
    theirs: theirs.value,
    save: (definition, version = read) =>
      attempt(() =>
        send<Rule>("PUT", `${rules_path}/${encodeURIComponent(String(definition.key))}`, {
          query,
          body: definition,
          if_match: version === undefined ? undefined : `"${version}"`,
        })
      ),
    remove: () =>
      attempt(async () => {
        const path = `${rules_path}/${encodeURIComponent(rule!.key)}`;
        await send("DELETE", path, { query, if_match: `"${read}"` });
        return undefined;
      }),
    giveUp: () => {
      onSaved(theirs.peek());
      theirs.value = undefined;
    },
  };
}

/** How saving went, where it did not go well. */
function Outcome({ saving, definition }: {
  readonly saving: Saving;
  readonly definition: Definition;
}) {
  const { problem, theirs } = saving;
  if (problem) return <p class="rules-refused" role="alert">{problemText(problem)}</p>;
  if (!theirs) return null;
  const { author, valid_from, version } = theirs;
  const at = instantText(Date.parse(valid_from), zone.value);
  return (
    <div class="rules-refused" role="alert">
      <strong>{say().conflict(author ?? say().machine, at)}</strong>
      <ul>
        {changesOf(theirs.definition, definition).map((it) => <li key={it}>{it}</li>)}
      </ul>
      <div class="row">
        <button
          type="button"
          class="main"
          onClick={() => void saving.save(definition, version)}
        >
          {say().insist}
        </button>
        <button type="button" onClick={saving.giveUp}>{say().take_theirs}</button>
      </div>
    </div>
  );
}
