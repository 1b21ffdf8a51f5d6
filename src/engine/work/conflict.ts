// Conflicts of two services' changes, as history notes them.
import { deviceOfField, type ToldRow } from "../../model/work/change.ts";
import type { HistoryEvent } from "../../model/work/history.ts";
import type { Conflict } from "../../model/work/merge.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { nameOf } from "./shared.ts";

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
