// What operators do with alarms: what each one's state allows, and what came of it.
import type { ActionWord } from "../../model/alarms/action.ts";
import { type Alarm, type AlarmEvent, isOver } from "./alarm.ts";

/** What an operator can do, in the order of the buttons. */
export const action_words = [
  "claim",
  "release",
  "shelve",
  "unshelve",
  "resolve",
  "reopen",
  "comment",
] as const satisfies readonly ActionWord[];

/** Whether an alarm's state allows an action; the life of alarms in the service says the same. */
export function allows(alarm: Alarm, action: ActionWord): boolean {
  const { status } = alarm;
  switch (action) {
    case "claim":
      return status === "open";
    case "release":
      return status === "claimed";
    case "shelve":
      return status === "open" || status === "claimed";
    case "unshelve":
      return status === "shelved";
    case "resolve":
      return status !== "resolved";
    case "reopen":
      return status === "resolved" && !isOver(alarm);
    case "comment":
      return true;
  }
}

/** What is said with an action. */
export type Said = { readonly until?: string; readonly reason?: string } & {
  readonly note?: string;
  readonly body?: string;
};

/** What an action came to. */
export type Outcome = {
  readonly action: ActionWord;
  readonly done: number;
  readonly refused: readonly Refused[];
};

/** An alarm that an action was refused for, with what somebody else did to it before. */
export type Refused = {
  readonly alarm: Alarm;
  readonly reason: string;
  readonly before: AlarmEvent | undefined;
};

/** The operator's action that put an alarm where it is. */
export function lastMove({ events }: Alarm): AlarmEvent | undefined {
  return events.findLast(({ kind, type }) => kind === "operator" && type !== "commented");
}
