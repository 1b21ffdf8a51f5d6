// The real table behind a drawing, made when it is opened.
import { useSignal } from "@preact/signals";
import { say } from "../frame/say.ts";

/** How many rows are put on a page; all of them are in the export. */
const most_rows = 1000;

/** A table that is folded until it is wanted; `row` gives the cells of a row. */
export function DataTable({ columns, length, row }: {
  readonly columns: readonly string[];
  readonly length: number;
  readonly row: (i: number) => readonly string[];
}) {
  const is_open = useSignal(false);
  const shown = Math.min(length, most_rows);
  return (
    <details
      class="data-table"
      onToggle={({ currentTarget }) => is_open.value = currentTarget.open}
    >
      <summary>{say().as_table}</summary>
      {is_open.value && (
        <div class="scroll" tabIndex={0} role="region" aria-label={say().as_table}>
          {shown < length && <p class="quiet">{say().rows_left_out(shown, length)}</p>}
          <table>
            <thead>
              <tr>{columns.map((name) => <th scope="col">{name}</th>)}</tr>
            </thead>
            <tbody>
              {Array.from(
                { length: shown },
                (_, i) => <tr>{row(i).map((cell) => <td>{cell}</td>)}</tr>,
              )}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
