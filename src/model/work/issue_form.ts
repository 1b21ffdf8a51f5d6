// What is said of issues when they are made, changed, merged and linked: the forms of the requests.
import * as z from "zod";
import { limits } from "../../base/limits.ts";
import { alarm_limits } from "../alarms/limits.ts";
import { work_limits } from "./limits.ts";
import { issue_statuses } from "./issue.ts";
import { name_form, noteUpTo, textUpTo } from "../data/text_form.ts";
import { device_words, instant_form, work_words } from "./form.ts";

const range = {
  hierarchy_ids: z.array(textUpTo(limits.key_length)).min(1).max(work_limits.devices),
  from: instant_form.describe("Start, inclusive: ISO 8601 with an offset."),
  to: instant_form.describe("End, exclusive: ISO 8601 with an offset."),
};

/** What an issue can be opened from. */
const origin_form = z.strictObject({
  alarm: textUpTo(alarm_limits.word_length).optional()
    .describe("An alarm occurrence of the project; the issue is linked to it."),
  performance: z.strictObject({
    ...range,
    hierarchy_ids: range.hierarchy_ids
      .describe("Sensors of energy or active power, by their hierarchy_id."),
  }).optional().describe("A performance drop: measured energy compared with expected energy."),
  availability: z.strictObject({
    ...range,
    hierarchy_ids: range.hierarchy_ids.describe("Inverters, by their hierarchy_id."),
  }).optional().describe("The time that inverters were unavailable."),
}).refine((from) => Object.keys(from).length === 1, {
  error: "give one of alarm, performance, availability",
});

const issue_words = {
  name: textUpTo(work_limits.name_length).describe("Name."),
  description: work_words.description,
  priority: work_words.priority,
  assigned_to: work_words.assigned_to,
  sentinel_tag: name_form.nullable().describe("Deployment tag."),
  external_id: work_words.external_id,
  effective_from: instant_form.nullable().describe("Start of the effect: ISO 8601 with an offset."),
  effective_to: instant_form.nullable().describe("End of the effect: ISO 8601 with an offset."),
  devices: z.array(z.strictObject({
    ...device_words,
    effective_from: instant_form.nullable().optional(),
    effective_to: instant_form.nullable().optional(),
  })).max(work_limits.devices).describe("All devices that are affected."),
};

const issue_words_optional = z.strictObject(issue_words).partial().shape;

/** The form of a new issue. */
export const issue_form = z.strictObject({
  ...issue_words_optional,
  source: z.enum(["manual", "import"]).optional()
    .describe("Why it was opened, if not given by from; by default manual."),
  from: origin_form.optional()
    .describe(
      "Opens it from an alarm, a performance drop or unavailable time. Fields that are not " +
        "given are filled in from there.",
    ),
  user: work_words.user,
}).refine((sent) => sent.name !== undefined || sent.from !== undefined, {
  path: ["name"],
  error: "is missing",
}).refine((sent) => sent.source === undefined || sent.from === undefined, {
  path: ["source"],
  error: "leave it out: from says it",
}).meta({
  examples: [{
    name: "Cooling fan of INV-07 is loud",
    priority: "medium",
    assigned_to: "anna@example.org",
    devices: [{ device_id: "01a1fe38-541b-70ad-b2cb-c9221f098df5" }],
  }],
});
export type SentIssue = z.output<typeof issue_form>;

/** The form of a change: what is not said stays. */
export const issue_change_form = z.strictObject({
  ...issue_words_optional,
  status: z.enum(issue_statuses).optional().describe("Its new status, if its state allows it."),
  user: work_words.user,
}).meta({ examples: [{ status: "resolved", priority: "low" }] });
export type SentIssueChange = z.output<typeof issue_change_form>;

/** The form of a comment. */
export const comment_form = z.strictObject({
  body: noteUpTo(work_limits.text_length).describe("The comment."),
  user: work_words.user,
});

/** The form of a merge. */
export const merge_form = z.strictObject({
  issue_ids: idsOf(work_limits.merged).describe("Active issues of the same project."),
  user: work_words.user,
});

/** The form of links to alarms. */
export const alarms_form = z.strictObject({
  occurrence_ids: idsOf(work_limits.devices).describe("Alarm occurrences of the project."),
  user: work_words.user,
});

function idsOf(most: number) {
  return z.array(textUpTo(alarm_limits.word_length)).min(1).max(most)
    .refine((ids) => new Set(ids).size === ids.length, { error: "names something twice" });
}
