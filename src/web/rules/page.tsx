// The rules: what watches the plant, and the editor in which a rule is tried before it is saved.
import { useSignal } from "@preact/signals";
import { rule_kinds, type RuleKind } from "../../model/rules/kind.ts";
import { at_ms } from "../frame/clock.ts";
import { addressOf, change, open, param } from "../frame/place.ts";
import { may, project } from "../frame/session.ts";
import { Export } from "../parts/export.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { emptyDraft } from "./draft.ts";
import { Editor, type Opened } from "./editor.tsx";
import { RuleList } from "./list.tsx";
import { say } from "./say.ts";
import { type Rule, rules_path, useCounts, useRules } from "./store.ts";

/** The page. */
export function RulesPage() {
  const again = useSignal(0);
  const rules = useRules(again.value);
  const counts = useCounts();
  const opened = rules.data && openedOf(rules.data);
  return (
    <div class={opened ? "rules chosen" : "rules"}>
      <Panel class="rules-list" title={say().title} aside={<Aside />}>
        <Loaded of={rules} isEmpty={(all) => all.length === 0} empty={say().none}>
          {(all) => <RuleList rules={all} counts={counts} />}
        </Loaded>
      </Panel>
      {opened && (
        <section class="panel rules-editor" aria-label={say().editor}>
          <a data-place href={addressOf("rules", kept())} class="button rules-back">
            {say().back}
          </a>
          {opened === "gone" ? <p class="quiet">{say().gone}</p> : (
            <Editor
              key={opened.id}
              opened={opened}
              rules={rules.data!}
              onSaved={(rule) => {
                again.value++;
                open("rules", { ...kept(), ...chosen(rule) });
              }}
            />
          )}
        </section>
      )}
    </div>
  );
}

/** The filters of the list, which stay. */
function kept() {
  return { q: param("q"), state: param("state") };
}

/** The parameters that open a rule; none where it was removed. */
function chosen(rule: Rule | undefined) {
  return { rule: rule?.key, site: rule?.site };
}

/** What the address opens: a rule, a copy of one, or a new one of a kind. */
function openedOf(rules: readonly Rule[]): Opened | "gone" | undefined {
  const [key, copied, kind] = [param("rule"), param("copy"), param("new")];
  const find = (wanted: string) =>
    rules.find(({ key, site }) => key === wanted && site === (param("site") ?? site));
  if (copied !== undefined) {
    const rule = find(copied);
    return rule
      ? { id: `copy ${copied}`, site: rule.site, from: { ...rule.definition, key: "" } }
      : "gone";
  }
  if (kind !== undefined) {
    const known: RuleKind = rule_kinds.find((it) => it === kind) ?? "threshold";
    return { id: `new ${known}`, site: param("site") ?? rules[0]?.site, draft: emptyDraft(known) };
  }
  if (key === undefined) return undefined;
  const rule = find(key);
  return rule
    ? { id: `${rule.site} ${key}`, site: rule.site, rule, from: rule.definition }
    : "gone";
}

function Aside() {
  return (
    <>
      {may("manage") && at_ms.value === undefined && (
        <button
          type="button"
          class="main"
          onClick={() => change({ new: "threshold", rule: undefined, copy: undefined })}
        >
          {say().new_rule}
        </button>
      )}
      {at_ms.value === undefined && (
        <Export path={rules_path} query={{ project_id: project.value!.id }} name="rules" />
      )}
    </>
  );
}
