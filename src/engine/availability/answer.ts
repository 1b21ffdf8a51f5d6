// Availability answers: capacity-hours per bucket and group, and the share that was not lost.
import { availability_columns } from "../../model/availability/row.ts";
import { type Answer, noneValid, setValid, type Vector } from "../../model/data/chunk.ts";
import type { Database } from "../../store/database.ts";
import { sumBasis } from "../../store/availability/inverter_sum.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { codesAt } from "../performance/group_words.ts";
import {
  type Account,
  inverterAnswer,
  type InverterRequest,
  type InverterSelection,
  selectInverters,
  type SumRows,
} from "./inverter_answer.ts";

/** The availability of a request's inverters: every bucket of every group. */
export function availabilityAnswer(
  { database, catalog }: { readonly database: Database; readonly catalog: Catalog },
  request: InverterRequest,
  signal?: AbortSignal,
): Answer {
  const selection = selectInverters(catalog, request);
  const { groups } = selection;
  return inverterAnswer(database, request, { groups, account: accountOf(selection), signal });
}

function accountOf({ inverters, groups, sensors, group_nos }: InverterSelection): Account {
  const capacities_kw = inverters.map(({ capacity_w }) => (capacity_w ?? 0) / 1000);
  const total = new Int32Array(groups.length);
  const known = new Int32Array(groups.length);
  inverters.forEach(({ capacity_w }, i) => {
    total[group_nos[i]]++;
    if (capacity_w !== null) known[group_nos[i]]++;
  });
  return {
    columns: availability_columns,
    sums: 2,
    read: (connection, days) => sumBasis(connection, { sensors, group_nos, capacities_kw }, days),
    numbers: (rows) => ({
      ...figures(rows),
      inverter_count: counts(rows, total),
      capacity_known_inverter_count: counts(rows, known),
      is_partial: {
        kind: "bool",
        values: new Uint8Array(rows.groups.map((at) => known[at] < total[at] ? 1 : 0)),
      },
    }),
  };
}

function figures({ rows, sums: [basis, unavailable] }: SumRows) {
  const [capacity, lost, share] = [0, 0, 0].map(() => new Float64Array(rows));
  const valid = noneValid(rows);
  for (let i = 0; i < rows; i++) {
    if (!(basis[i] > 0)) continue; // no day, or none with a basis
    capacity[i] = basis[i];
    lost[i] = unavailable[i];
    share[i] = Math.min(1, Math.max(0, 1 - lost[i] / capacity[i]));
    setValid(valid, i);
  }
  return {
    capacity_hours: { kind: "float64", values: capacity },
    unavailable_capacity_hours: { kind: "float64", values: lost },
    availability: { kind: "float64", values: share, valid },
  } as const;
}

/** The count of each row's group. */
function counts({ groups }: SumRows, of_group: Int32Array): Vector {
  return { kind: "int32", values: codesAt(of_group, groups) };
}
