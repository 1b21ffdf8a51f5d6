// What was sent on each day of late, in bytes and rows.
import { numberText } from "../frame/number.ts";
import { Listing } from "../parts/listing.tsx";
import { say } from "./say.ts";

/** What was sent on a day, UTC. */
export type SentDay = {
  readonly day: string;
  readonly bytes: number;
  readonly rows: number;
};

const days_shown = 14;

/** The days, the newest first; nothing for none. */
export function SentDays({ days }: { readonly days: readonly SentDay[] }) {
  if (days.length === 0) return null;
  return (
    <Listing
      label={say().sent_by_day}
      is_dense
      columns={[
        { name: say().sent_by_day },
        { name: say().sent_bytes, is_number: true },
        { name: say().sent_rows, is_number: true },
      ]}
      rows={days.slice(0, days_shown).map(({ day, bytes, rows }) => ({
        key: day,
        cells: [day, `${numberText(bytes / 1e6, 2)} MB`, numberText(rows)],
      }))}
    />
  );
}
