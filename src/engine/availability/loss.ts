// Loss accounts: where the energy went that was expected, per bucket and group.
import { type Answer, noneValid, setValid, type Vector } from "../../model/data/chunk.ts";
import { loss_columns } from "../../model/availability/loss.ts";
import type { Database } from "../../store/database.ts";
import { sumLosses } from "../../store/availability/inverter_sum.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { codesAt } from "../performance/group_words.ts";
import {
  type Account,
  bucketStarts,
  inverterAnswer,
  type InverterRequest,
  type InverterSelection,
  selectInverters,
  type SumRows,
} from "./inverter_answer.ts";

/** The loss account of a request's inverters: every bucket of every group. */
export function lossAnswer(
  { database, catalog }: { readonly database: Database; readonly catalog: Catalog },
  request: InverterRequest,
  signal?: AbortSignal,
): Answer {
  const selection = selectInverters(catalog, request);
  const { groups } = selection;
  return inverterAnswer(database, request, {
    groups,
    account: accountOf(selection, request),
    signal,
  });
}

function accountOf(selection: InverterSelection, request: InverterRequest): Account {
  const inverter_counts = new Int32Array(selection.groups.length);
  for (const group_no of selection.group_nos) inverter_counts[group_no]++;
  const day_counts = daysOf(request);
  return {
    columns: loss_columns,
    sums: 6,
    read: (connection, days) => sumLosses(connection, selection, days),
    numbers: (rows) => ({
      ...energies(rows),
      inverter_count: { kind: "int32", values: codesAt(inverter_counts, rows.groups) },
      is_partial: {
        kind: "bool",
        values: new Uint8Array(rows.groups.map((group, i) => {
          const wanted_days = inverter_counts[group] * day_counts[rows.positions[i]];
          return rows.sums[5][i] === wanted_days ? 0 : 1;
        })),
      },
    }),
  };
}

/** How many days of the range each bucket has. */
function daysOf(request: InverterRequest): readonly number[] {
  const { from_day, to_day } = request.range;
  const starts = bucketStarts(request);
  return starts.map((start, i) => (starts[i + 1] ?? to_day) - Math.max(start, from_day));
}

/** The account of each row; all of it is null where no day has one. */
function energies({ rows, sums }: SumRows): Readonly<Record<string, Vector>> {
  const [expected, produced, unavailable, curtailed, clipped] = sums;
  const other = new Float64Array(rows);
  const valid = noneValid(rows);
  for (let i = 0; i < rows; i++) {
    if (Number.isNaN(expected[i])) continue;
    other[i] = expected[i] - produced[i] - unavailable[i] - curtailed[i] - clipped[i];
    setValid(valid, i);
  }
  const vector = (from: Float64Array): Vector => {
    const values = from.map((value) => Number.isNaN(value) ? 0 : value);
    return { kind: "float64", values: new Float64Array(values), valid };
  };
  return {
    expected_energy: vector(expected),
    produced_energy: vector(produced),
    unavailability_loss: vector(unavailable),
    curtailment_loss: vector(curtailed),
    clipping_loss: vector(clipped),
    other_loss: vector(other),
  };
}
