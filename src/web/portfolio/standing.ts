// How each plant of a portfolio stands: its days of a month, summed up, the worst first.
import type { Rows } from "../frame/api.ts";
import { allowedOf, sumOf } from "../frame/performance.ts";
import type { Project } from "../frame/session.ts";

/** How a plant stands. Energies in Wh, the rest are shares of one; NaN where not known. */
export type Standing = {
  readonly project: Project;
  /** Over the minutes in which both are known; expected is what setpoints allow. */
  readonly measured: number;
  readonly expected: number;
  readonly index: number;
  readonly coverage: number;
  readonly availability: number;
  /** The index of each day. */
  readonly trend: readonly number[];
};

/** What is asked for of each day. */
export const standing_columns = [
  "sensor_value_matched",
  "model_value_matched",
  "performance_index_setpoint_matched",
  "coverage",
] as const;

/** Days of energy in Wh, and of power for plants whose inverters have no register. */
type Days = { readonly energy: Rows; readonly power: Rows; readonly availability: Rows };

/** The plants as their days of energy and availability show them, the worst index first. */
export function standingsOf(projects: readonly Project[], found: readonly Days[]): Standing[] {
  const standings = projects.map((project) => {
    const [energy, power] = (["energy", "power"] as const).map((of) =>
      found.map((it) => daysOf(it[of], project.id)).find(({ at }) => at.length > 0)
    );
    const days = energy ?? power ?? none;
    const bases = found.flatMap(({ availability }) => availabilitiesOf(availability, project.id));
    const [measured, expected] = [sumOf(days.measured), sumOf(days.expected)];
    const capacity = bases.reduce((sum, { capacity }) => sum + capacity, 0);
    const lost = bases.reduce((sum, { lost }) => sum + lost, 0);
    return {
      project,
      measured: energy ? measured : NaN,
      expected: energy ? expected : NaN,
      index: measured / expected,
      coverage: sumOf(days.coverage) / days.coverage.length,
      availability: capacity > 0 ? 1 - lost / capacity : NaN,
      trend: Array.from(days.measured, (it, i) => it / days.expected[i]),
    };
  });
  const rank = ({ index }: Standing) => Number.isNaN(index) ? Infinity : index;
  return standings.toSorted((a, b) => rank(a) - rank(b));
}

const none = {
  at: [],
  ...{ measured: new Float64Array(), expected: new Float64Array(), coverage: new Float64Array() },
};

function daysOf(rows: Rows, project_id: string) {
  const at = rows.texts("project_id").flatMap((id, i) => id === project_id ? [i] : []);
  const [measured, expected, index, coverage] = standing_columns.map((name) => {
    const values = rows.numbers(name);
    return Float64Array.from(at, (i) => values[i]);
  });
  return { at, measured, expected: allowedOf(measured, expected, index), coverage };
}

function availabilitiesOf(rows: Rows, project_id: string) {
  const [capacity, lost] = ["capacity_hours", "unavailable_capacity_hours"].map(rows.numbers);
  return rows.texts("project_id").flatMap((id, i) =>
    id === project_id ? [{ capacity: capacity[i], lost: lost[i] }] : []
  );
}
