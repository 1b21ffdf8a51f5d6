// Powers that no device of their rating can have: what is told of them, and which unit would fit.
import type { Column, RowOf } from "../data/column.ts";
import { expected_limits } from "../expected/limits.ts";
import { sample_limits } from "./limits.ts";

/** How much a device can have at most, and by what its tag's values become W. */
export type Rating = { readonly rated_w: number; readonly scale: number };

/** By which unit values would fit a rating. */
export type UnitHint = {
  /** What they are to be divided by; null where neither a thousand nor a million fits. */
  readonly divisor: number | null;
  /** The unit that they are read in, and the one that fits; null where these have no names. */
  readonly read_as: string | null;
  readonly fits_as: string | null;
};

/** The largest size of a power that is believed of a rating, W. */
export function mostPower(rated_w: number): number {
  return expected_limits.rated_factor * rated_w;
}

const divisors = [1e3, 1e6] as const;
/** Units of power by how many W they are. */
const units: ReadonlyMap<number, string> = new Map([[1, "W"], [1e3, "kW"], [1e6, "MW"]]);

/** Which unit was taken for another one, by the greatest power of some days or of a file. */
export function unitHint(greatest_w: number, { rated_w, scale }: Rating): UnitHint {
  const divisor = divisors.find((it) => {
    const share = Math.abs(greatest_w) / it / rated_w;
    return share >= sample_limits.unit_least_share && share <= sample_limits.unit_most_share;
  }) ?? null;
  const [read_as, fits_as] = divisor === null
    ? []
    : [units.get(Math.abs(scale)), units.get(Math.abs(scale) / divisor)];
  return read_as && fits_as
    ? { divisor, read_as, fits_as }
    : { divisor, read_as: null, fits_as: null };
}

/** What the hint gives an answer. */
export const hint_columns = [
  {
    name: "divisor",
    kind: "float64",
    nullable: true,
    doc: "1000 or 1000000 where the values, divided by it, fit the rated power: likely the unit " +
      "of the tag, its `scale`, or the rated power itself is wrong by that. Null where neither " +
      "fits.",
  },
  {
    name: "read_as",
    kind: "text",
    nullable: true,
    doc: "The unit of power that the `scale` of the tag reads its values in. Null without a " +
      "divisor, or where no unit is of that scale.",
  },
  {
    name: "fits_as",
    kind: "text",
    nullable: true,
    doc: "The unit that its values fit the rated power in: they are likely sent in it. Null as " +
      "`read_as` is.",
  },
] as const satisfies readonly Column[];

/** The fields of a sensor whose power is beyond its rating. */
export const excess_columns = [
  { name: "hierarchy_id", kind: "text", nullable: false, doc: "The sensor." },
  { name: "sensor_tag", kind: "text", nullable: false, doc: "Its tag." },
  {
    name: "device_id",
    kind: "text",
    nullable: true,
    doc: "Its device. Null if it belongs to the site as a whole.",
  },
  { name: "device_name", kind: "text", nullable: true, doc: "Name of the device." },
  { name: "component", kind: "text", nullable: false, doc: "Component that it measures." },
  { name: "rated_w", kind: "float64", nullable: false, doc: "Its rated power, W." },
  {
    name: "greatest_w",
    kind: "float64",
    nullable: false,
    doc: "The power of the greatest size among its minutes, W.",
  },
  {
    name: "greatest_at",
    kind: "instant",
    nullable: false,
    doc: "Start of the quarter-hour that has it.",
  },
  {
    name: "quarter_hours",
    kind: "int32",
    nullable: false,
    doc: "How many quarter-hours have a minute beyond twice the rated power.",
  },
  {
    name: "first_at",
    kind: "instant",
    nullable: false,
    doc: "Start of the first of them.",
  },
  { name: "last_at", kind: "instant", nullable: false, doc: "Start of the last of them." },
  ...hint_columns,
] as const satisfies readonly Column[];

/** A sensor as JSON has it. */
export type ExcessRow = RowOf<typeof excess_columns>;
