// What an operator says when acting on alarms: the forms of the requests.
import * as z from "zod";
import { type Fault, type Flaw, refusal } from "../../base/fault.ts";
import { alarm_limits } from "./limits.ts";
import type { QueueAction } from "./life.ts";
import { parseForm } from "../data/parse_form.ts";
import { name_form, noteUpTo } from "../data/text_form.ts";

/** The word of an action, as in its address. */
export type ActionWord = QueueAction["action"];

const note = noteUpTo(alarm_limits.note_length);

const user = name_form.optional()
  .describe("User who acts, by id or e-mail; not needed with a user's own token.");

/** What must be said with each action. */
export const action_forms = {
  claim: z.strictObject({ user }),
  release: z.strictObject({ user }),
  shelve: z.strictObject({
    until: z.string().describe("When it returns to the queue: ISO 8601 with an offset."),
    reason: note.describe("Why it can wait."),
    user,
  }).meta({ examples: [{ until: "2026-06-02T08:00:00Z", reason: "Parts are on their way." }] }),
  unshelve: z.strictObject({ user }),
  resolve: z.strictObject({ note: note.describe("What was found and what was done."), user })
    .meta({ examples: [{ note: "A fuse was replaced." }] }),
  reopen: z.strictObject({ user }),
  comment: z.strictObject({ body: note.describe("The comment."), user })
    .meta({ examples: [{ body: "The fan is loud." }] }),
} as const satisfies Record<ActionWord, z.ZodObject>;

/** Every action, in the order of the reference. */
export const action_words = Object.keys(action_forms) as [ActionWord, ...ActionWord[]];

const selection = {
  occurrence_ids: z.array(z.string().min(1).max(alarm_limits.word_length))
    .min(1).max(alarm_limits.actions)
    .refine((ids) => new Set(ids).size === ids.length, { error: "names an occurrence twice" })
    .describe("Occurrences of the project, each only once."),
};

/** The form of one action on a selection. */
export const bulk_form = z.discriminatedUnion("action", [
  bulkOf("claim"),
  bulkOf("release"),
  bulkOf("shelve"),
  bulkOf("unshelve"),
  bulkOf("resolve"),
  bulkOf("reopen"),
  bulkOf("comment"),
]);

/** An action as it is sent: in words, its instant not looked at yet. */
export type SentAction = {
  readonly action: ActionWord;
  readonly until?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly body?: string;
  readonly user?: string;
};

/** An action in plain data. Throws a `Fault` (invalid) with every flaw. */
export function parseAction(action: ActionWord, data: unknown): SentAction {
  return { action, ...parse(action_forms[action], data) };
}

/** An action on a selection in plain data. Throws a `Fault` (invalid) with every flaw. */
export function parseBulk(
  data: unknown,
): SentAction & { readonly occurrence_ids: readonly string[] } {
  const { action } = parse(z.looseObject({ action: z.enum(action_words) }), data);
  const form = bulk_form.options.find(({ shape }) => shape.action.value === action)!;
  return parse(form, data) as ReturnType<typeof parseBulk>;
}

/** The refusal of an action for its flaws. */
export function actionRefusal(flaws: readonly Flaw[]): Fault {
  return refusal("the action is wrong", flaws);
}

function bulkOf<Word extends ActionWord>(action: Word) {
  const { shape } = action_forms[action];
  return z.strictObject({ action: z.literal(action), ...selection, ...shape });
}

function parse<T extends z.ZodObject>(form: T, data: unknown): z.output<T> {
  return parseForm(form, data, { refuse: actionRefusal });
}
