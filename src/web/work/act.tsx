// What is done with an issue or a work order: its next status, who does it, and who was faster.
import type { ComponentChildren } from "preact";
import type { Problem } from "../frame/api.ts";
import { problemText } from "../parts/panel.tsx";
import { Asked } from "../parts/form.tsx";
import type { Changing } from "./change.ts";
import { AssigneeSelect, PrioritySelect } from "./fields.tsx";
import type { Issue, Order } from "./item.ts";
import { say } from "./say.ts";
import { userText, valueText, wordOf } from "./value.ts";

/** Statuses that are for good: they are asked for twice. */
const ends = ["closed", "cancelled"];

/** Where most work goes next, by what it is now. */
const usual = ["resolved", "completed"];

/** The statuses that may come next, each as a button; the usual end of the work first. */
export function Moves({ moves, changing, children }: {
  readonly moves: readonly string[];
  readonly changing: Changing;
  readonly children?: ComponentChildren;
}) {
  const { state, change } = changing;
  const rank = (to: string) => usual.includes(to) ? 0 : to === "in_progress" ? 1 : 2;
  const asked = moves.filter((to) => to !== "merged" && to !== "draft");
  return (
    <div class="row work-moves">
      {asked.toSorted((a, b) => rank(a) - rank(b)).map((to) =>
        ends.includes(to)
          ? (
            <Asked
              button={wordOf("do", to)}
              question={say().for_good}
              answer={wordOf("do", to)}
              onYes={() => change({ status: to })}
            />
          )
          : (
            <button
              type="button"
              class={usual.includes(to) ? "main" : undefined}
              disabled={state.value.is_busy}
              onClick={() => void change({ status: to })}
            >
              {wordOf("do", to)}
            </button>
          )
      )}
      {children}
    </div>
  );
}

/** Who does it, and how urgent it is: changed at once. */
export function Owner({ of, changing, mayChange }: {
  readonly of: Pick<Issue | Order, "assigned_to" | "priority">;
  readonly changing: Changing;
  readonly mayChange: boolean;
}) {
  const { state, change } = changing;
  const isDisabled = !mayChange || state.value.is_busy;
  return (
    <div class="work-pairs">
      <AssigneeSelect
        value={of.assigned_to?.id ?? ""}
        name={userText(of.assigned_to)}
        isDisabled={isDisabled}
        onChange={(id) => void change({ assigned_to: id || null })}
      />
      <PrioritySelect
        value={of.priority}
        isDisabled={isDisabled}
        onChange={(priority) => void change({ priority })}
      />
    </div>
  );
}

/** Why something was not done, where it was not. */
export function Refused({ problem }: { readonly problem: Problem | undefined }) {
  if (!problem) return null;
  return <p class="work-refused" role="alert">{problemText(problem)}</p>;
}

/** How the last change went, where it did not go well. */
export function Outcome({ changing }: { readonly changing: Changing }) {
  const { problem, conflict, is_busy } = changing.state.value;
  if (problem) return <Refused problem={problem} />;
  if (!conflict) return null;
  return (
    <div class="work-conflict" role="alert">
      <strong>{say().conflict}</strong>
      <ul>
        {conflict.theirs.map(({ field, before, after }) => (
          <li>
            {wordOf("field", field)}: {valueText(field, before)} → {valueText(field, after)}
          </li>
        ))}
      </ul>
      <p>
        {say().conflict_yours} {Object.entries(conflict.body).map(([field, value]) =>
          `${wordOf("field", field)} → ${valueText(field, value)}`
        ).join("; ")}
      </p>
      <div class="row">
        <button type="button" class="main" disabled={is_busy} onClick={changing.insist}>
          {say().insist}
        </button>
        <button type="button" onClick={changing.giveUp}>{say().give_up}</button>
      </div>
    </div>
  );
}
