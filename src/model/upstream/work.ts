// What a gateway and its centre tell each other of issues and work orders: one exchange.
import * as z from "zod";
import { limits } from "../../base/limits.ts";
import { key_form } from "../data/text_form.ts";
import { upstream_limits } from "./limits.ts";

const id = z.string().min(1).max(limits.name_length);
const changes = z.array(z.unknown()).max(upstream_limits.work_changes);
const sites = z.array(key_form).max(upstream_limits.work_sites);

/** What a gateway says of a project. Its changes are looked at one by one. */
export const work_exchange_form = z.strictObject({
  heard_no: z.int().nonnegative().describe("The last change of the centre's that it has ..."),
  heard_id: id.nullable().describe("... and its mark; null: it has none."),
  sent_id: id.nullable().describe("A change of its own that the centre took; null: none."),
  sites: sites.default([])
    .describe("Keys of its sites of the project: it hears of these, and of what is of no site."),
  had: z.array(id).max(upstream_limits.work_changes).default([])
    .describe("Issues and work orders that it has, of sites of which it is told no longer."),
  changes: changes.describe("Changes that the centre may lack, the oldest first."),
  again: z.array(id).max(upstream_limits.work_changes).default([])
    .describe("The ids of those among them that the centre took before."),
});
export type WorkExchange = z.output<typeof work_exchange_form>;

/** What the centre answers. */
export const work_exchanged_form = z.object({
  refused: z.array(z.object({ id: z.string(), reason: z.string() }))
    .describe("Changes that the centre does not take, and why."),
  lacks: z.boolean().describe("Whether the centre has lost changes that it took: tell all again."),
  changes: changes.describe("What was changed, the oldest first; the gateway's own, too."),
  gone: z.array(id).describe("Issues and work orders that are at its sites no longer."),
  sites: sites.describe("Those of its sites of which it is told, in order."),
  wanted: z.array(id).default([])
    .describe("Photos of its sites whose bytes the centre lacks: it may have lost them."),
  numbers: z.array(z.object({ id: z.string(), number: z.int().positive() }))
    .describe("The numbers of the issues and work orders that were told either way."),
  next_no: z.int().nonnegative().describe("The last change that is told here ..."),
  next_id: id.nullable().describe("... and its mark; null: there is none."),
  is_more: z.boolean().describe("Whether more follow."),
});
export type WorkExchanged = z.output<typeof work_exchanged_form>;

/** So many rows as fit into an exchange, at least one. */
export function fitting<Row extends { readonly body: string }>(rows: readonly Row[]): Row[] {
  let length = 0;
  const end = rows.findIndex(({ body }) => (length += body.length) > upstream_limits.work_length);
  return rows.slice(0, end < 0 ? rows.length : Math.max(1, end));
}
