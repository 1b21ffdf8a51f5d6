// The page of the measure dictionary.
import { html } from "@hono/hono/html";
import { measure_entries, type MeasureEntry, model_docs } from "../../model/plant/measure_entry.ts";
import { documentPage } from "../page/document.ts";
import { code, type Html, row, table, wordRows } from "../page/html.ts";
import text from "./measures.md" with { type: "text" };

/** Every measure: its unit, its aggregation, its model. */
export function measurePage(): Promise<string> {
  const heads = ["measure", "unit", "over time", "over sensors", "model", ""];
  return documentPage(text, {
    measure_count: measure_entries.length,
    measures: table(heads, measure_entries.map(measureRow)),
    models: table(["model", ""], wordRows(model_docs)),
  });
}

function measureRow(entry: MeasureEntry): Html {
  const { name, unit, over_time, over_sensors, note } = entry;
  const cells = [code(name), unit, spaced(over_time), spaced(over_sensors), modelOf(entry)];
  return row([...cells, note ?? ""]);
}

function modelOf({ model, integral_of }: MeasureEntry): Html | string {
  if (integral_of !== null) return html`integral of ${code(integral_of)}`;
  return model === "sent" ? "sent only" : model;
}

function spaced(word: string): string {
  return word.replaceAll("_", " ");
}
