// A table of the page: on a phone each row stands by itself, with the columns' names inside.
import type { ComponentChildren } from "preact";

/** A column; `is_number` puts its cells to the right. */
export type ListingColumn = { readonly name: string; readonly is_number?: boolean };

/** A row: what its columns hold; `below` opens under it over the whole width. */
export type ListingRow = {
  readonly key: string;
  readonly cells: readonly ComponentChildren[];
  readonly below?: ComponentChildren;
  readonly is_quiet?: boolean;
};

/** The table; the first cell of a row names it. */
export function Listing({ label, columns, rows }: {
  readonly label: string;
  readonly columns: readonly ListingColumn[];
  readonly rows: readonly ListingRow[];
}) {
  return (
    <div class="listing-frame" tabIndex={0} role="region" aria-label={label}>
      <table class="listing">
        <thead>
          <tr>
            {columns.map(({ name, is_number }) => (
              <th scope="col" class={is_number ? "number" : undefined}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>{rows.map((row) => <Row key={row.key} row={row} columns={columns} />)}</tbody>
      </table>
    </div>
  );
}

function Row({ row, columns }: {
  readonly row: ListingRow;
  readonly columns: readonly ListingColumn[];
}) {
  const [first, ...others] = row.cells;
  return (
    <>
      <tr class={row.is_quiet ? "quiet" : undefined}>
        <th scope="row">{first}</th>
        {others.map((cell, i) => {
          const { name, is_number } = columns[i + 1];
          return <td data-name={name} class={is_number ? "number" : undefined}>{cell}</td>;
        })}
      </tr>
      {row.below && (
        <tr class="below">
          <td colSpan={columns.length}>{row.below}</td>
        </tr>
      )}
    </>
  );
}
