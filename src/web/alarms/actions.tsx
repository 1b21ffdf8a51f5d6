// The buttons and forms by which operators act on one alarm or on several, and what came of it.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ActionWord } from "../../model/alarms/action.ts";
import { Problem } from "../frame/api.ts";
import { at_ms } from "../frame/clock.ts";
import { people } from "../frame/people.ts";
import { change } from "../frame/place.ts";
import { may, session, zone } from "../frame/session.ts";
import { timeText } from "../frame/zone.ts";
import { problemText } from "../parts/panel.tsx";
import { act, is_acting, outcome } from "./act.ts";
import { action_words, allows, type Outcome, type Refused } from "../alarm/action.ts";
import type { Alarm } from "../alarm/alarm.ts";
import { CommentForm, ResolveForm, ShelveForm } from "./forms.tsx";
import { IssueForm } from "./issue_form.tsx";
import { actAs, actingUser, actorOf } from "../alarm/people.ts";
import { say } from "../alarm/say.ts";
import { eventWord } from "../alarm/timeline.tsx";
import { form, type FormName, forms, marked } from "./view.ts";

/** Where actions stand: with the chosen alarm, or above the list for those that are marked. */
type ActionPlace = "detail" | "bulk";

const keys: Readonly<Partial<Record<ActionWord | "issue", string>>> = {
  claim: "c",
  shelve: "s",
  resolve: "r",
  comment: "m",
  issue: "i",
};

/** What can be done with some alarms. */
export function Actions({ targets, place }: {
  readonly targets: readonly Alarm[];
  readonly place: ActionPlace;
}) {
  if (!may("operate")) return <p class="quiet">{say().read_only}</p>;
  if (at_ms.value !== undefined) return <p class="quiet">{say().past}</p>;
  // Where several are marked, the forms are for these.
  const isHere = place === "bulk" || marked.value.size === 0;
  return (
    <div class="actions">
      {isHere && !session.value?.user && <ActsAs />}
      <div class="buttons">
        {action_words.filter((word) => targets.some((it) => allows(it, word)))
          .map((word) => <ActionButton key={word} {...{ word, targets }} />)}
        {targets.length === 1 && may("manage") && <FormButton key="issue" name="issue" />}
      </div>
      {isHere && <OpenForm targets={targets} />}
      {isHere && <OutcomeText />}
    </div>
  );
}

/** Who acts, where a token is signed in that is nobody's own. */
function ActsAs() {
  return (
    <label class="acts-as">
      {say().acts_as}{" "}
      <select
        value={actingUser() ?? ""}
        onChange={({ currentTarget }) => actAs(currentTarget.value || undefined)}
      >
        <option value="">–</option>
        {people.value.map(({ id, name }) => <option value={id}>{name}</option>)}
      </select>
    </label>
  );
}

/** Does it at once, or opens the form of what has to be said with it. */
function ActionButton({ word, targets }: {
  readonly word: ActionWord;
  readonly targets: readonly Alarm[];
}) {
  const name = forms.find((it) => it === word);
  if (name) return <FormButton name={name} />;
  return (
    <button
      type="button"
      disabled={is_acting.value}
      aria-keyshortcuts={keys[word]}
      onClick={() => void act(targets.filter((it) => allows(it, word)), word)}
    >
      {say()[word]}
    </button>
  );
}

function FormButton({ name }: { readonly name: FormName }) {
  return (
    <button
      type="button"
      aria-expanded={form.value === name}
      aria-keyshortcuts={keys[name]}
      onClick={() => {
        outcome.value = undefined;
        change({ do: form.value === name ? undefined : name });
      }}
    >
      {say()[name]}
    </button>
  );
}

/** The form that is open, its first field ready to be filled. */
function OpenForm({ targets }: { readonly targets: readonly Alarm[] }) {
  const box = useRef<HTMLDivElement>(null);
  const name = form.value;
  useLayoutEffect(() => box.current?.querySelector<HTMLElement>("[data-first]")?.focus(), [name]);
  return (
    <div ref={box}>
      {name === "shelve" && <ShelveForm targets={targets.filter((it) => allows(it, "shelve"))} />}
      {name === "resolve" && (
        <ResolveForm
          targets={targets.filter((it) => allows(it, "resolve"))}
        />
      )}
      {name === "comment" && <CommentForm targets={targets} />}
      {name === "issue" && <IssueForm alarm={targets[0]} />}
    </div>
  );
}

/** What the last action came to. */
function OutcomeText() {
  const came = outcome.value;
  return (
    <div class="outcome" role="status">
      {is_acting.value && <p class="quiet">{say().acting}</p>}
      {came instanceof Problem && <p class="refused">{problemText(came)}</p>}
      {came && !(came instanceof Problem) && <Came of={came} />}
    </div>
  );
}

function Came({ of: { action, done, refused } }: { readonly of: Outcome }) {
  return (
    <>
      {done > 0 && <p>{say()[`done_${action}`](done)}</p>}
      {refused.map((it) => (
        <p class="refused">
          {say().not_done(`${it.alarm.rule_name}, ${it.alarm.device_name ?? it.alarm.source_tag}`)}
          {" "}
          {whyNot(it)}
        </p>
      ))}
    </>
  );
}

/** Who was faster, and with what; else what the service says. */
function whyNot({ before, reason }: Refused): string {
  if (!before) return reason;
  const who = actorOf(before) ?? say().somebody;
  return say().faster(who, eventWord(before), timeText(before.at_ms, zone.value));
}
