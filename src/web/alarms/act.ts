// Doing something with alarms through the service, and telling what came of it.
import { signal } from "@preact/signals";
import type { ActionWord } from "../../model/alarms/action.ts";
import { Problem, problemOf, send } from "../frame/api.ts";
import { change } from "../frame/place.ts";
import { project } from "../frame/session.ts";
import { lastMove, type Outcome, type Said } from "../alarm/action.ts";
import type { Alarm } from "../alarm/alarm.ts";
import { actingUser } from "../alarm/people.ts";
import { alarms, alarms_path, refresh } from "./store.ts";
import { form } from "./view.ts";

/** What the last action came to, or why it failed; undefined once it is no longer of interest. */
export const outcome = signal<Outcome | Problem | undefined>(undefined);

/** Whether an action is under way. */
export const is_acting = signal(false);

type Result = { readonly occurrence_id: string; readonly ok: boolean; readonly reason: string };

/** Acts on alarms, and shows how they are then. Gives whether it succeeded for all. */
export async function act(
  targets: readonly Alarm[],
  action: ActionWord,
  said: Said = {},
): Promise<boolean> {
  if (is_acting.peek() || targets.length === 0) return false;
  is_acting.value = true;
  const form_then = form.peek();
  try {
    const results = await ask(targets, action, said);
    const is_done = results.every(({ ok }) => ok);
    // Closed before the list shows what was done, so that the next key is the page's. Another form
    // may have been opened meanwhile: it stays.
    if (is_done && form.peek() === form_then) change({ do: undefined, marked: undefined });
    await refresh();
    outcome.value = outcomeOf(targets, action, results);
    return is_done;
  } catch (error) {
    outcome.value = problemOf(error);
    return false;
  } finally {
    is_acting.value = false;
  }
}

async function ask(
  targets: readonly Alarm[],
  action: ActionWord,
  said: Said,
): Promise<readonly Result[]> {
  const occurrence_ids = targets.map((it) => it.occurrence_id);
  const { results } = await send<{ results: readonly Result[] }>(
    "POST",
    `${alarms_path}/actions`,
    {
      query: { project_id: project.peek()!.id },
      body: { action, occurrence_ids, ...said, user: actingUser() },
    },
  );
  return results;
}

function outcomeOf(
  targets: readonly Alarm[],
  action: ActionWord,
  results: readonly Result[],
): Outcome {
  const now = new Map(alarms.peek().data?.map((it) => [it.occurrence_id, it]));
  const refused = results.filter(({ ok }) => !ok).map(({ occurrence_id, reason }) => {
    const old = targets.find((it) => it.occurrence_id === occurrence_id)!;
    const alarm = now.get(occurrence_id) ?? old;
    return { alarm, reason, before: lastMove(alarm) };
  });
  return { action, done: results.length - refused.length, refused };
}
