// Pages that explain words: the measure dictionary, and the states and losses of inverters.
import { html } from "@hono/hono/html";
import type { Column } from "../../model/data/column.ts";
import {
  evidence_docs,
  type State,
  state_docs,
  states,
} from "../../model/availability/availability.ts";
import { loss_columns } from "../../model/availability/loss.ts";
import { measure_entries, type MeasureEntry, model_docs } from "../../model/plant/measure_entry.ts";
import { back, code, type Html, page, row, table } from "./html.ts";

/** Every measure: its unit, its aggregation, its model. */
export function measurePage(): Html {
  const rows = measure_entries.map((entry) =>
    row([
      code(entry.name),
      entry.unit,
      spaced(entry.over_time),
      spaced(entry.over_sensors),
      modelWords(entry),
      entry.note ?? "",
    ])
  );
  const models = Object.entries(model_docs).map(([name, doc]) => row([code(name), doc]));
  return page("Wattkeeper measures", [
    back("Measures"),
    html`
      <p>The ${measure_entries.length} measures of <code>component_measure</code>. A bucket of a
      group first makes one value of each sensor's minutes, then one of the sensors. A ratio of a
      group is the ratio of its sums. As data:
      <a href="/docs#meta_measures"><code>GET /platform/v1/meta/measures</code></a>.</p>
    `,
    table(["measure", "unit", "over time", "over sensors", "model", ""], rows),
    html`
      <h2 id="models">Models</h2>
      <p>Where <code>model_value</code> comes from. What a site sends itself, in the lane
      <code>model</code>, wins for every measure, sensor by sensor and minute by minute.</p>
    `,
    table(["model", ""], models),
  ]);
}

/** The states of inverters, what speaks for them, and the words of the loss account. */
export function availabilityPage(): Html {
  const named = Object.keys(states) as State[];
  const state_rows = named.map((name) => row([code(name), counted(name), state_docs[name]]));
  const evidence_rows = Object.entries(evidence_docs).map(([name, doc]) => row([code(name), doc]));
  return page("Wattkeeper availability and losses", [
    back("Availability and losses"),
    html`
      <p>Availability is the time-based capacity availability of IEC TS 63019: of the kilowatts that
      could have been there by daylight, the share that was. Each inverter has a state in every
      quarter-hour between sunrise and sunset, or in parts of one. <code>capacity_hours</code> is
      its rated AC power times the daylight hours whose state is known,
      <code>unavailable_capacity_hours</code> the part of them that counts as unavailable.
      Both add up over buckets and groups, and <code>availability</code> is
      1 − unavailable / capacity, null where there is no basis. An inverter without a known capacity
      counts in <code>inverter_count</code> alone.</p>
      <h2 id="states">States</h2>
    `,
    table(["state", "counts as", ""], state_rows),
    html`
      <h2 id="evidence">Evidence</h2>
      <p>The first of these that speaks gives the state.</p>
    `,
    table(["evidence", ""], evidence_rows),
    html`
      <h2 id="losses">Losses</h2>
      <p>The account of an inverter's day, added up over buckets and groups: the expected energy is
      what was produced, plus four losses. The first three are worked out quarter-hour by
      quarter-hour; where an inverter is unavailable, nothing is counted as curtailed or
      clipped.</p>
    `,
    table(
      ["column", ""],
      loss_columns.filter(isEnergy).map(({ name, doc }) => row([code(name), doc])),
    ),
  ]);
}

function isEnergy({ unit }: Column): boolean {
  return unit === "Wh";
}

function counted(state: State): string {
  if (states[state] === null) return "neither";
  return states[state] ? "unavailable" : "available";
}

function modelWords({ model, integral_of }: MeasureEntry): Html | string {
  if (integral_of !== null) return html`integral of ${code(integral_of)}`;
  return model === "sent" ? "sent only" : model;
}

function spaced(word: string): string {
  return word.replaceAll("_", " ");
}
