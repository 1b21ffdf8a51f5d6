// Availability by IEC TS 63019: of capacity and time, with the share of it that is known.

/** Capacity times daylight hours, in kWh; what is known of it, and what was unavailable. */
export type Availability = {
  /** A bucket's first day, or an inverter's hierarchy id. */
  readonly key: string;
  readonly known: number;
  readonly unavailable: number;
  readonly daylight: number;
};

/** The availability of a range: by bucket, and by inverter. */
export type Availabilities = {
  readonly buckets: readonly Availability[];
  readonly inverters: readonly Availability[];
};

/** The columns that availability is read from. */
export const availability_columns = [
  "capacity_hours",
  "unavailable_capacity_hours",
  "daylight_capacity_hours",
] as const;

/** The availability of rows whose column `key` tells them apart. */
export function availabilitiesOf(
  rows: {
    readonly numbers: (name: string) => ArrayLike<number>;
    readonly texts: (name: string) => readonly (string | null)[];
  },
  key: string,
): Availability[] {
  const [known, unavailable, daylight] = availability_columns.map((name) => rows.numbers(name));
  return rows.texts(key).map((it, i) => ({
    key: it ?? "",
    known: known[i],
    unavailable: unavailable[i],
    daylight: daylight[i],
  }));
}

/** The sum of all. */
export function sumOfAvailabilities(all: readonly Availability[]): Availability {
  const sum = (of: (it: Availability) => number) =>
    all.reduce((total, it) => total + (of(it) || 0), 0);
  return {
    key: "",
    known: sum((it) => it.known),
    unavailable: sum((it) => it.unavailable),
    daylight: sum((it) => it.daylight),
  };
}

/** The share of the known time that was available; NaN where nothing is known. */
export function availableShare({ known, unavailable }: Availability): number {
  return known > 0 ? 1 - unavailable / known : NaN;
}

/** The share of the daylight of which a state is known. */
export function knownShare({ known, daylight }: Availability): number {
  return daylight > 0 ? known / daylight : NaN;
}

type StateSpans = {
  readonly hierarchy_id: readonly (string | null)[];
  readonly from: ArrayLike<number>;
  readonly to: ArrayLike<number>;
  readonly state: readonly (string | null)[];
};

/**
 * Capacity times hours in each state, in kWh, the most first: of the spans there are, and in full
 * capability what is left of the daylight.
 */
export function timeInStates(
  { hierarchy_id, from, to, state }: StateSpans,
  { capacities_w, daylight_kwh }: {
    readonly capacities_w: ReadonlyMap<string | null, number>;
    readonly daylight_kwh: number;
  },
): (readonly [state: string, kwh: number])[] {
  const sums = new Map<string, number>();
  state.forEach((name, i) => {
    const capacity_kw = (capacities_w.get(hierarchy_id[i]) || 0) / 1000;
    const kwh = capacity_kw * (to[i] - from[i]) / 3_600_000;
    sums.set(name ?? "unknown", (sums.get(name ?? "unknown") ?? 0) + kwh);
  });
  const rest = [...sums.values()].reduce((left, kwh) => left - kwh, daylight_kwh);
  return [["full_capability", Math.max(0, rest)] as const, ...sums]
    .toSorted(([, a], [, b]) => b - a);
}
