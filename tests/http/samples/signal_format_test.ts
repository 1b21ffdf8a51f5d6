// Tests that a page of signals says the same in every format, to readers that are not ours.
import { deepEqual, equal } from "node:assert/strict";
import type { Column } from "../../../src/model/data/column.ts";
import { signal_columns } from "../../../src/model/samples/signal.ts";
import { equalGolden } from "../../help/golden.ts";
import { openSignals, printed } from "../../help/signal.ts";
import { type Cell, readArrow, readParquet } from "../../wire/encode_help.ts";

const path = "/platform/v1/signals?project_id=project-1" +
  "&from=2026-06-01T00:00:00Z&to=2026-06-02T00:00:00Z&format=";

const columns: readonly Column[] = signal_columns;

/** Rows as NDJSON from the cells of another reader, column by column. */
function asLines(cells: readonly (readonly Cell[])[]): string {
  const rows = cells[0].map((_, row) => {
    const fields = columns.map(({ name, kind }, i) => {
      const cell = cells[i][row];
      if (cell === null) return `"${name}":null`;
      if (kind === "instant") return `"${name}":"${printed(Number(cell))}"`;
      return `"${name}":${kind === "text" ? JSON.stringify(cell) : String(cell)}`;
    });
    return `{${fields.join(",")}}\n`;
  });
  return rows.join("");
}

Deno.test("a page of signals is the same in Arrow, Parquet and JSON", async () => {
  const { fetch, close } = await openSignals();
  const text = await (await fetch(`${path}ndjson`)).text();
  await equalGolden("signals.ndjson", text);
  const arrow = await readArrow(await (await fetch(`${path}arrow`)).bytes(), columns);
  equal(asLines(arrow), text);
  const parquet = await readParquet(await (await fetch(`${path}parquet`)).bytes(), columns);
  equal(asLines(parquet), text);
  const json = await (await fetch(`${path}json`)).text();
  deepEqual(JSON.parse(json), text.trim().split("\n").map((line) => JSON.parse(line)));
  const csv = await (await fetch(`${path}csv`)).text();
  equal(csv.split("\r\n").length, text.split("\n").length + 1);
  equal(csv.split("\r\n")[0], columns.map((column) => column.name).join(","));
  await close();
});

Deno.test("an empty page of signals is whole in every format", async () => {
  const { fetch, close } = await openSignals();
  const get = (format: string) => fetch(`${path}${format}&tag=unknown`);
  equal(await (await get("ndjson")).text(), "");
  deepEqual(await (await get("json")).json(), []);
  equal((await (await get("csv")).text()).trim(), columns.map((column) => column.name).join(","));
  for (const [format, read] of [["arrow", readArrow], ["parquet", readParquet]] as const) {
    const cells = await read(await (await get(format)).bytes(), columns);
    deepEqual(new Set(cells.map((cell) => cell.length)), new Set([0]));
  }
  await close();
});
