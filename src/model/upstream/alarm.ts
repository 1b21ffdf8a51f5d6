// What a gateway and its centre tell each other of alarms: the forms of one exchange.
import * as z from "zod";
import { limits } from "../../base/limits.ts";
import { type AlarmEvent, type Occurrence, resolution_policies } from "../alarms/alarm.ts";
import { alarm_limits } from "../alarms/limits.ts";
import { upstream_limits } from "./limits.ts";
import { jsonIn } from "./upstream.ts";

const word = z.string().min(1).max(alarm_limits.word_length);
const text = z.string().max(alarm_limits.text_length);
/** It is printed into answers as it is. */
const json = z.string().max(alarm_limits.json_length)
  .refine((it) => jsonIn(it) !== undefined, { error: "is no JSON" });
/** Microseconds since 1970 UTC. */
const instant = z.int().nonnegative();
const number = z.number();

/** Who did something, by what both sides know people by. */
export const person_form = z.strictObject({
  email: word.nullable(),
  /** First and last name, for a side that does not know the address; or a source's own word. */
  name: word.nullable(),
});
export type Person = z.output<typeof person_form>;

/** An event of an alarm; its id says which side made it. */
const event_form = z.strictObject({
  event_id: z.string().regex(/^wk-(c?\d{6,12}|until-\d{1,16})$/),
  type: word,
  kind: word,
  created_at: instant,
  body: text.nullable(),
  person: person_form.nullable(),
  detail: json.nullable(),
});
export type ToldEvent = z.output<typeof event_form>;

/** An alarm that a gateway judges, with events of it that the centre lacks. */
export const told_alarm_form = z.strictObject({
  occurrence_id: word,
  /** Keys of the site, the rule and the device. */
  site: word,
  rule: word.nullable(),
  device: word.nullable(),
  ...{ rule_name: text, rule_version: number.nullable(), rule_description: text.nullable() },
  ...{ kind: word, severity: word, alarm_class: word.nullable(), is_nerc: z.boolean() },
  resolution_policy: z.enum(resolution_policies),
  ...{ raised_at: instant, source_ts: instant.nullable(), updated_at: instant },
  /** When the gateway stored it last, by its own stamps: the newest one counts. */
  synced_at: instant,
  ...{ raised_value: number, last_value: number.nullable(), peak_value: number.nullable() },
  ...{ peak_at: instant.nullable(), recovered_value: number.nullable() },
  ...{ source_tag: z.string().min(1).max(limits.tag_length), measure: word.nullable() },
  decoded_labels: z.array(text).max(alarm_limits.labels),
  ...{ point_key: word.nullable(), params: json.nullable() },
  ...{ is_late: z.boolean(), is_flood: z.boolean(), is_chattering: z.boolean() },
  /** How many events the gateway made of it. */
  own_events: z.int().nonnegative(),
  events: z.array(event_form).max(upstream_limits.alarm_events_whole),
});
export type ToldAlarm = z.output<typeof told_alarm_form>;

/** Facts of an alarm that its gateway alone decides. */
export const told_facts = [
  ...["rule_name", "rule_version", "rule_description", "kind", "severity", "alarm_class"],
  ...["is_nerc", "raised_at", "source_ts", "raised_value", "last_value", "peak_value", "peak_at"],
  ...["recovered_value", "source_tag", "measure", "decoded_labels", "point_key", "params"],
  ...["is_late", "is_flood", "is_chattering"],
] as readonly (keyof ToldAlarm & keyof Occurrence)[];

/** What a gateway says of a project. Its alarms are looked at one by one. */
export const exchange_form = z.strictObject({
  gateway: word.describe("The machine's own name."),
  told_us: instant.describe("All that it stored before is here; microseconds since 1970 UTC ..."),
  backlog_from_us: instant.nullable().describe("... but for what it stored from here ..."),
  backlog_to_us: instant.nullable().describe("... until here, which waits; null: nothing does."),
  after_no: z.int().nonnegative().describe("The last event of the centre that it has."),
  alarms: z.array(z.unknown()).max(upstream_limits.alarm_events)
    .describe("Alarms that changed, with the events that are new."),
});
export type Exchange = z.output<typeof exchange_form>;

/** What the centre answers. */
export const exchanged_form = z.object({
  refused: z.array(z.object({ occurrence_id: z.string(), reason: z.string() }))
    .describe("Alarms that the centre does not take, and why."),
  partial: z.array(z.string()).describe("Alarms of which earlier events are missing here."),
  told: z.array(z.object({ occurrence_id: word, events: z.array(event_form) }))
    .describe("What was done with the gateway's alarms here."),
  next_no: z.int().nonnegative().describe("The last event that was looked at."),
  is_more: z.boolean().describe("Whether more follow."),
});
export type Exchanged = z.output<typeof exchanged_form>;

/** An event as the other side is told of it. */
export function toldEvent(event: AlarmEvent, person: Person | null): ToldEvent {
  const { event_id, type, kind, created_at, body, detail } = event;
  return { event_id, type, kind, created_at, body, person, detail };
}
