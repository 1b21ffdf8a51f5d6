// Settings while they are written: what is sent, what counts as changed, columns taken and left.
import { deepEqual, equal, ok } from "node:assert/strict";
import {
  columnRows,
  draftOf,
  foundText,
  isChanged,
  settingsOf,
  taking,
  withNoValue,
  withTag,
} from "../../../src/web/import/draft.ts";
import type { Check, Column, Setting, Settings } from "../../../src/web/import/store.ts";

const known: readonly Setting[] = [
  { name: "timezone", kind: "text", choices: [] },
  { name: "no_value", kind: "list", choices: [] },
  { name: "skip_rows", kind: "count", choices: [] },
];
const column: Column = {
  ...{ name: "P (kW)", tag: "P (kW)", kind: "number", unit: "kW", is_new: true, measures: [] },
};
const check = {
  columns: [column],
  proposed: { delimiter: "\t", time_column: ["Date", "Time"] },
  time: { timezone: "America/Denver" },
} as unknown as Check;

Deno.test("a draft gives back the settings that it was made of", () => {
  const settings: Settings = {
    ...{ timezone: "UTC", no_value: ["off", "n, a"], skip_rows: 3 },
    tags: { a: "b", c: false },
  } as unknown as Settings;
  const draft = draftOf(settings);
  equal(draft.texts.no_value, "off\nn, a");
  deepEqual(settingsOf(draft, known), settings);
  equal(isChanged(draft, settings, known), false);
  ok(isChanged({ ...draft, texts: { ...draft.texts, skip_rows: "4" } }, settings, known));
});

Deno.test("the order of what is said, and empty fields, are no change", () => {
  const before = { timezone: "UTC", no_value: ["x"] };
  const texts = { no_value: "x", skip_rows: "", timezone: "UTC" };
  equal(isChanged({ texts, tags: {} }, before, known), false);
});

Deno.test("a column is left out, stays in the list, and is taken again", () => {
  const draft = withTag(draftOf({}), { name: column.name, tag: false });
  deepEqual(settingsOf(draft, known), { tags: { "P (kW)": false } });
  equal(columnRows(check, draft)[0].is_taken, false);
  const gone = { ...check, columns: [] };
  deepEqual(columnRows(gone, draft).map(({ name, is_taken }) => [name, is_taken]), [
    ["P (kW)", false],
  ]);
  deepEqual(settingsOf(taking(draft, column), known), {});
  equal(columnRows(check, withTag(draft, { name: column.name, tag: "inv.p" }))[0].tag, "inv.p");
});

Deno.test("what was found stands in fields; a number that means none is added once", () => {
  equal(foundText(check, "delimiter"), "\\t");
  equal(foundText(check, "time_column"), "Date\nTime");
  equal(foundText(check, "timezone"), "America/Denver");
  equal(foundText(check, "prefix"), "");
  const draft = withNoValue(withNoValue(draftOf({ no_value: ["off"] }), -999), -999);
  deepEqual(settingsOf(draft, known), { no_value: ["off", "-999"] });
});
