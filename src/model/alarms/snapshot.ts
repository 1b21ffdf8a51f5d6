// What a source's snapshot makes of an occurrence: a new one, a change, or nothing.
import type { Occurrence, OccurrenceDraft } from "./alarm.ts";
import { resumedFrom } from "./fold.ts";
import type { SnapshotRow } from "./row.ts";
import type { AlarmPoint } from "../plant/plant.ts";

/** Where the occurrence of a snapshot belongs, and what is known here of its tag. */
export type SnapshotPlace = {
  readonly project_no: number;
  readonly site_no: number;
  readonly device_id: string | null;
  readonly measure: string | null;
  /** Its alarm point on the device model's list. */
  readonly point: AlarmPoint | undefined;
};

/** The fields that a source can change, apart from `updated_at`. */
const changeable = [
  "source",
  "rule_name",
  "rule_version",
  "rule_description",
  "kind",
  "severity",
  "status",
  "resolution",
  "raised_at",
  "source_ts",
  "cleared_at",
  "raised_value",
  "last_value",
  "peak_value",
  "peak_at",
  "recovered_value",
  "source_tag",
  "measure",
  "decoded_labels",
  "point_key",
  "alarm_class",
  "is_nerc",
  "params",
] as const satisfies readonly (keyof Occurrence)[];
export type Changeable = typeof changeable[number];

/** The occurrence that a first snapshot describes. */
export function firstSight(row: SnapshotRow, place: SnapshotPlace): OccurrenceDraft {
  const { status = "open", resolution = null } = row.queue ?? {};
  return {
    ...row.state,
    ...seen(row, place),
    occurrence_id: row.occurrence_id,
    project_no: place.project_no,
    site_no: place.site_no,
    origin: "source",
    rule_no: null,
    device_id: place.device_id,
    sent_at: row.state.updated_at,
    status,
    resolution,
    resumes: status === "shelved" ? "open" : null,
    shelved_until: null,
    claimed_by: null,
    is_late: false,
    is_flood: false,
    is_chattering: false,
    inhibited_by: null,
    judged_at: "here",
  };
}

/**
 * A known occurrence after a snapshot of it, and which fields changed; the very same occurrence
 * where the snapshot is older than the newest one or says nothing new. Of two of one instant the
 * later comer holds. What happened here after `updated_at` of the snapshot, by an operator or the
 * plant, leaves the queue as it is; the condition is the source's to tell all the same.
 */
export function nextSight(
  known: Occurrence,
  row: SnapshotRow,
  place: SnapshotPlace,
): { readonly occurrence: Occurrence; readonly changed: readonly Changeable[] } {
  const { updated_at: sent_at } = row.state;
  if (sent_at < (known.sent_at ?? 0)) return { occurrence: known, changed: [] };
  const overtaken = sent_at < known.updated_at;
  const same_tag = row.state.source_tag === known.source_tag;
  const occurrence: Occurrence = {
    ...known,
    ...row.state,
    ...seen(row, place),
    ...queued(known, overtaken ? { ...row, queue: null } : row),
    updated_at: known.updated_at,
    sent_at,
    device_id: place.device_id ?? (same_tag ? known.device_id : null),
  };
  const changed = changeable.filter((field) => !isSame(occurrence[field], known[field]));
  if (changed.length === 0 && sent_at === known.sent_at) return { occurrence: known, changed };
  const next = changed.length === 0 ? known.updated_at : known.updated_at + 1;
  return { occurrence: { ...occurrence, updated_at: overtaken ? next : sent_at }, changed };
}

/** What the plant adds to what the source says. */
function seen({ state }: SnapshotRow, { measure, point }: SnapshotPlace) {
  const { point_key, decoded_labels } = state;
  const named = decoded_labels.length > 0 || point_key === null;
  return {
    measure: state.measure ?? measure,
    decoded_labels: named ? decoded_labels : [point?.label ?? point_key],
    is_nerc: state.is_nerc || (point?.is_nerc ?? false),
  };
}

const off_shelf = { resumes: null, shelved_until: null, inhibited_by: null } as const;

/** The queue after a snapshot: the source's word, or where it has none, the one here. */
function queued(known: Occurrence, { queue, state }: SnapshotRow): Partial<Occurrence> {
  if (queue === null) {
    const ended = state.resolution_policy === "auto" && state.cleared_at !== null;
    const leaves = ended && known.status === "shelved";
    return leaves ? { ...off_shelf, status: known.resumes ?? "open" } : {};
  }
  const { status } = queue;
  if (status === known.status) return { resolution: queue.resolution ?? known.resolution };
  const taken = status === "claimed" || status === "shelved";
  return {
    ...queue,
    ...off_shelf,
    ...(status === "shelved" ? { resumes: resumedFrom(known.status) } : {}),
    claimed_by: taken ? known.claimed_by : null,
  };
}

function isSame(a: Occurrence[Changeable], b: Occurrence[Changeable]): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
