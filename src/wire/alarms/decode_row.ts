// Checks one row of a body of alarms: a snapshot of an occurrence or an event, strictly.
import * as z from "zod";
import { Fault } from "../../base/fault.ts";
import { alarm_limits } from "../../model/alarms/limits.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { alarm_statuses, resolution_policies } from "../../model/alarms/alarm.ts";
import type { AlarmRow, SentEvent } from "../../model/alarms/row.ts";
import { event_columns, occurrence_columns } from "../../model/alarms/shape.ts";
import type { Column } from "../../model/data/column.ts";
import { formFlaws } from "../../model/data/form_flaw.ts";
import { tag_form, textUpTo } from "../../model/data/text_form.ts";
import { jsonOf } from "./decode_json.ts";
import { instantFlaw, instantOf } from "../bytes/instant.ts";

/**
 * The row that `data` (plain, bigints in it) writes, or what is wrong with it. A row with an
 * `event_id` is an event.
 */
export function alarmRowOf(
  data: unknown,
  { line, now_us }: { readonly line: number; readonly now_us: number },
): AlarmRow | { readonly flaw: string } {
  if (data === null || typeof data !== "object" || Array.isArray(data)) {
    return { flaw: "must be a JSON object" };
  }
  try {
    return Object.hasOwn(data, "event_id")
      ? eventRow(data, { line, now_us })
      : snapshotRow(data, { line, now_us });
  } catch (error) {
    if (error instanceof Fault) return { flaw: error.message };
    throw error;
  }
}

/** The `occurrence_id` of a row that is wrong elsewhere; null where there is none to show. */
export function occurrenceIdOf(data: unknown): string | null {
  const { occurrence_id } = Object(data) as { readonly occurrence_id?: unknown };
  const parsed = word.safeParse(occurrence_id);
  return parsed.success ? parsed.data : null;
}

const word = textUpTo(alarm_limits.word_length);

const text = z.string().max(alarm_limits.text_length).refine((it) => textFlaw(it) === undefined, {
  error: ({ input }) => textFlaw(String(input)),
});

const instant = z.string().transform((it, context) => {
  const us = instantOf(it);
  if (Number.isNaN(us)) context.addIssue({ code: "custom", message: instantFlaw(it), input: it });
  return us;
}).meta({ format: "date-time" });

/** What the service says of itself in its answers, so that an export of them can be sent. */
const ours = z.unknown().optional().meta({ description: "The service's own field: ignored." });

const event_form = z.strictObject({
  event_id: word,
  occurrence_id: word,
  type: word,
  kind: word.default("source"),
  created_at: instant,
  body: text.nullish(),
  user_id: word.nullish(),
  user_email: word.nullish(),
  external_user_id: word.nullish(),
  detail: z.unknown().optional(),
  svc_occurrence_ref: ours,
  synced_at: ours,
});

const nested_form = event_form.extend({ occurrence_id: word.optional() });

const snapshot_form = z.strictObject({
  occurrence_id: word,
  source: word,
  site: word.nullish().meta({
    description: "Key or id of a site; not needed if the project has only one.",
  }),
  rule_name: word,
  rule_version: z.number().nullish(),
  kind: word,
  severity: word,
  status: z.enum(alarm_statuses).optional().meta({
    description: "A source without a queue leaves it out; then the status here does not change.",
  }),
  resolution_policy: z.enum(resolution_policies),
  resolution: text.nullish(),
  raised_at: instant,
  source_ts: instant.nullish(),
  updated_at: instant,
  cleared_at: instant.nullish(),
  raised_value: z.number(),
  last_value: z.number().nullish(),
  peak_value: z.number().nullish(),
  peak_at: instant.nullish(),
  recovered_value: z.number().nullish(),
  source_tag: tag_form,
  measure: word.nullish(),
  rule_description: text.nullish(),
  decoded_labels: z.array(word).max(alarm_limits.labels).default([]),
  point_key: word.nullish(),
  alarm_class: word.nullish(),
  is_nerc: z.boolean().default(false),
  params: z.unknown().optional(),
  events: z.array(nested_form).default([]),
  svc_occurrence_ref: ours,
  synced_at: ours,
  organization_id: ours,
  project_id: ours,
  device_id: ours,
  device_name: ours,
  device_type: ours,
  judged_at: ours,
  gateway: ours,
  parent_device_id: ours,
  events_total: ours,
  events_truncated: ours,
});

/** JSON Schema of a row; a field means what it does in answers. */
export function alarmRowSchema() {
  return {
    anyOf: [
      { title: "SentAlarm", ...described(snapshot_form, occurrence_columns) },
      { title: "SentEvent", ...described(event_form, event_columns) },
    ],
  };
}

function described(form: z.ZodObject, columns: readonly Column[]) {
  const docs = new Map(columns.map(({ name, doc }) => [name, doc]));
  const { $schema: _, properties = {}, ...schema } = z.toJSONSchema(form, { io: "input" });
  const entries = Object.entries(properties).map(([name, property]) =>
    [name, { description: docs.get(name), ...Object(property) }] as const
  );
  return { ...schema, properties: Object.fromEntries(entries) };
}

const known_keys = {
  event: keysOf(event_form),
  snapshot: keysOf(snapshot_form),
};

function keysOf({ shape }: { readonly shape: Readonly<Record<string, unknown>> }) {
  return Object.keys(shape).filter((key) => shape[key] !== ours);
}

/** What ends the check of a row. */
function wrong(reason: string): Fault {
  return new Fault("invalid", reason);
}

type Place = { readonly line: number; readonly now_us: number };

function eventRow(data: object, { line, now_us }: Place): AlarmRow {
  const { occurrence_id, ...event } = checked(event_form, data, () => known_keys.event);
  return { line, occurrence_id, event: sentEvent(event, { path: "", now_us }) };
}

function snapshotRow(data: object, { line, now_us }: Place): AlarmRow {
  const row = checked(
    snapshot_form,
    rounded(data),
    (path) => path.length === 0 ? known_keys.snapshot : known_keys.event,
  );
  const { raised_at, updated_at, cleared_at = null, source_ts = null, peak_at = null } = row;
  refuseAhead({ raised_at, updated_at, cleared_at, source_ts, peak_at }, { path: "", now_us });
  if (cleared_at !== null && cleared_at < raised_at) {
    throw wrong("cleared_at: lies before raised_at");
  }
  const { occurrence_id, status, resolution = null } = row;
  if (status === undefined && resolution !== null) {
    throw wrong("status: is missing, but a resolution is given");
  }
  return {
    line,
    occurrence_id,
    site: row.site ?? null,
    queue: status === undefined ? null : { status, resolution },
    state: {
      ...{ raised_at, updated_at, cleared_at, source_ts, peak_at },
      source: row.source,
      rule_name: row.rule_name,
      rule_version: row.rule_version ?? null,
      rule_description: row.rule_description ?? null,
      kind: row.kind,
      severity: row.severity,
      alarm_class: row.alarm_class ?? null,
      is_nerc: row.is_nerc,
      resolution_policy: row.resolution_policy,
      raised_value: row.raised_value,
      last_value: row.last_value ?? null,
      peak_value: row.peak_value ?? null,
      recovered_value: row.recovered_value ?? null,
      source_tag: row.source_tag,
      measure: row.measure ?? null,
      decoded_labels: row.decoded_labels,
      point_key: row.point_key ?? null,
      params: row.params === undefined || row.params === null ? null : json("params", row.params),
    },
    events: row.events.map(({ occurrence_id: of, ...event }, i) => {
      if (of !== undefined && of !== occurrence_id) {
        throw wrong(`events[${i}].occurrence_id: is another one than the row's`);
      }
      return sentEvent(event, { path: `events[${i}].`, now_us });
    }),
  };
}

const flaws_shown = 3;

/** The form's output, or its first flaws thrown. */
function checked<Form extends z.ZodType>(
  form: Form,
  data: object,
  keysAt: (path: readonly PropertyKey[]) => readonly string[],
): z.output<Form> {
  const parsed = form.safeParse(data, { reportInput: true });
  if (parsed.success) return parsed.data;
  // A row can have more flaws than there is time to put into words.
  const flaws = parsed.error.issues.slice(0, flaws_shown).map((issue) =>
    issue.code === "unrecognized_keys"
      ? { ...issue, keys: issue.keys.slice(0, flaws_shown) }
      : issue
  ).flatMap((issue) => formFlaws(issue, keysAt)).slice(0, flaws_shown);
  throw wrong(flaws.map(({ path, message }) => `${path}: ${message}`).join("; "));
}

function sentEvent(
  event: Omit<z.output<typeof event_form>, "occurrence_id">,
  { path, now_us }: { readonly path: string; readonly now_us: number },
): SentEvent {
  const { event_id, type, kind, created_at } = event;
  refuseAhead({ created_at }, { path, now_us });
  const { body = null, user_id = null, user_email = null, external_user_id = null } = event;
  const detail = event.detail ?? null;
  return {
    ...{ event_id, type, kind, created_at, body, user_id, user_email, external_user_id },
    detail: detail === null ? null : JSON.parse(json(`${path}detail`, detail)),
  };
}

function refuseAhead(
  instants: Readonly<Record<string, number | null>>,
  { path, now_us }: { readonly path: string; readonly now_us: number },
): void {
  for (const [name, us] of Object.entries(instants)) {
    if (us === null || us <= now_us + sample_limits.future_us) continue;
    const minutes = sample_limits.future_us / 60_000_000;
    throw wrong(`${path}${name}: lies more than ${minutes} minutes ahead`);
  }
}

/** Free data as JSON, of what every reader of it can take. */
function json(path: string, data: unknown): string {
  const flaw = freeFlaw(data);
  if (flaw !== undefined) throw wrong(`${path}: ${flaw}`);
  const written = jsonOf(data);
  if (written.length <= alarm_limits.json_length) return written;
  throw wrong(`${path}: is longer than ${alarm_limits.json_length} characters`);
}

function freeFlaw(data: unknown): string | undefined {
  if (typeof data === "string") return textFlaw(data);
  if (typeof data === "number" && !Number.isFinite(data)) {
    return "holds a number beyond the range of a double";
  }
  if (data === null || typeof data !== "object") return undefined;
  for (const [key, value] of Object.entries(data)) {
    const flaw = textFlaw(key) ?? freeFlaw(value);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

function textFlaw(it: string): string | undefined {
  if (it.includes("\0")) return "holds a NUL character";
  return it.isWellFormed() ? undefined : "holds half of a surrogate pair";
}

/** The row with the bigints among its fields as numbers: a double is what a value is kept as. */
function rounded(data: object): object {
  const fields = Object.entries(data);
  if (!fields.some(([, value]) => typeof value === "bigint")) return data;
  return Object.fromEntries(
    fields.map(([key, value]) => [key, typeof value === "bigint" ? Number(value) : value]),
  );
}
