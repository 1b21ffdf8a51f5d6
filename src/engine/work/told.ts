// What another service's change is of, whether it can be taken, and what conflicts are noted as.
import type { Effects } from "../../base/effects.ts";
import type { Project } from "../../model/plant/plant.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import {
  deviceOfField,
  type SharedOrder,
  type ToldRow,
  work_change_form,
  type WorkChange,
} from "../../model/work/change.ts";
import type { HistoryEvent } from "../../model/work/history.ts";
import type { Issue } from "../../model/work/issue.ts";
import { work_limits } from "../../model/work/limits.ts";
import type { Conflict } from "../../model/work/merge.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { nameOf, type SharedFacts } from "./shared.ts";

/** Whether a change takes up all places that there are for the changes after it. */
export function isTooFar({ order_us }: WorkChange, last_us: number): boolean {
  return order_us > work_limits.order_us && order_us - last_us > work_limits.order_gap_us;
}

/** A gateway that tells changes: the centre alone numbers, merges, deletes, and notes conflicts. */
export type TellingGateway = {
  /** What its token is called. */
  readonly name: string;
  /** The sites whose work it may change. */
  readonly sites: readonly string[];
  /** The ids of what it tells once more: as far as it knows, the centre had that before. */
  readonly again: ReadonlySet<string>;
};

/** Where changes come from, and what of them is known. */
export type TakenFrom = SharedFacts & {
  readonly project: Project;
  readonly effects: Pick<Effects, "now_us" | "random">;
  /** The gateway that tells them; undefined: the centre does, and this is a gateway. */
  readonly gateway?: TellingGateway;
  /** The numbers that the centre gave, by id. */
  readonly numbers?: ReadonlyMap<string, number>;
};

/** Whether a change that a gateway tells once more is in what took the place of many. */
export function isFolded(
  { id, owner_id, order_us }: WorkChange,
  known: ReadonlyMap<string, readonly WorkChange[]>,
  gateway: TellingGateway | undefined,
): boolean {
  const own = known.get(owner_id) ?? [];
  return gateway !== undefined && gateway.again.has(id) &&
    own.some((it) => it.made !== null && it.order_us >= order_us);
}

/** A change that is not taken, and why. */
export type RefusedChange = { readonly id: string; readonly reason: string };

/** A change as another service told it, with the name of the gateway; or why there is none. */
export function readChange(data: unknown, gateway: string | undefined): WorkChange | RefusedChange {
  const parsed = work_change_form.safeParse(data);
  const change = parsed.success ? stamped(parsed.data, gateway) : undefined;
  if (change && !isTooLarge(change)) return change;
  const [{ path, message }] = parsed.error?.issues ?? [too_large];
  const { id } = Object(data) as { readonly id?: unknown };
  return { id: String(id), reason: `${path.join(".")}: ${message}` };
}

const too_large = {
  path: ["told"],
  message: `the change has more than ${upstream_limits.work_change_bytes} bytes`,
};

/** Whether nobody could be told of a change any more, for no answer has room for it. */
function isTooLarge(change: WorkChange): boolean {
  const text = JSON.stringify(change);
  return new TextEncoder().encode(text).length > upstream_limits.work_change_bytes;
}

/** Whether the centre alone may make a change of a field. */
export function isOfCentre({ field, after }: WorkChange["fields"][number]): boolean {
  return field === "merged_into" || field === "deleted_at" ||
    field === "status" && after === "merged";
}

/** Where a work order is: under an issue, and deleted with it. */
export function homed(
  { deleted_at }: Pick<SharedOrder, "deleted_at">,
  home: Issue,
): Pick<SharedOrder, "deleted_at"> & Pick<Issue, "issue_no"> {
  return { issue_no: home.issue_no, deleted_at: deleted_at ?? home.deleted_at };
}

/** The issues that a change is of: its own, or those that a work order is under. */
export function issueIdsIn({ kind, owner_id, made, fields }: WorkChange): string[] {
  if (kind === "issue") return [owner_id];
  const under = fields.filter(({ field }) => field === "issue_id").map(({ after }) => after);
  return [...made === null ? [] : [(made as SharedOrder).issue_id], ...under as string[]];
}

/** The alarm occurrences that a row of history links. */
export function occurrenceIn({ kind, detail }: Pick<ToldRow, "kind" | "detail">): string[] {
  const { occurrence_id } = Object(detail);
  return kind === "alarm_linked" && typeof occurrence_id === "string" ? [occurrence_id] : [];
}

/** A conflict of an issue, or of a work order under it. */
export type OwnedConflict = Conflict & { readonly issue_id: string; readonly order_id?: string };

/** The conflicts that histories have, by their keys. */
export function notedIn(rows: readonly Pick<HistoryEvent, "kind" | "detail">[]): Set<string> {
  const conflicts = rows.filter(({ kind }) => kind === "conflict");
  return new Set(conflicts.map(({ detail }) => noteKey(JSON.parse(detail!))));
}

/** What names a conflict. */
export function noteKey({ change_id, field }: Pick<Conflict, "change_id" | "field">): string {
  return JSON.stringify([change_id, field]);
}

const instant_fields: readonly string[] = ["effective_from", "effective_to", "due_date"];

/** The row of history of a conflict: what holds, what does not, and both who said so. */
export function noteOf(
  { change_id, field, holds, lost, reason }: Conflict,
  order: { readonly id: string; readonly number: number; readonly title: string } | undefined,
): Omit<ToldRow, "id" | "created_at"> {
  const device = deviceOfField(field);
  const valueOf = ({ value }: Conflict["holds"]) => {
    if (instant_fields.includes(field) && typeof value === "number") return instantText(value);
    if (device === undefined || value === null) return value;
    return [Array.isArray(value) ? device : { ...device, status: value }];
  };
  const whoOf = ({ person, at_us }: Conflict["holds"]) => (
    { by: nameOf(person), at: instantText(at_us) }
  );
  return {
    ...{ kind: "conflict", field: device ? "devices" : field, person: null },
    ...{ previous_value: valueOf(lost), next_value: valueOf(holds) },
    detail: {
      ...{ change_id, field, reason, holds: whoOf(holds), lost: whoOf(lost) },
      ...order && { work_order_id: order.id, number: order.number, title: order.title },
    },
  };
}

/** A change whose history says which gateway told it, whatever that says itself. */
function stamped(change: WorkChange, gateway: string | undefined): WorkChange {
  if (gateway === undefined || change.kind !== "issue") return change;
  return {
    ...change,
    told: change.told.map((row) => ({ ...row, detail: cameFrom(row.detail, gateway) })),
  };
}

function cameFrom(detail: ToldRow["detail"], gateway: string): ToldRow["detail"] {
  const said = typeof detail === "object" && !Array.isArray(detail) ? detail : null;
  const { centre: _, ...rest } = said ?? {};
  return { ...rest, gateway };
}
