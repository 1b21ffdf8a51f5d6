// When alarms should be raised and cleared, computed the naive way: by runs of equal samples.

/** What happened, in its order: samples that arrived together, and looks at the clock; seconds. */
export type Happening =
  | { readonly kind: "samples"; readonly samples: readonly HeldSample[] }
  | { readonly kind: "tick"; readonly now_s: number };

export type HeldSample = { readonly at_s: number; readonly value: number | null };

/** A time in which an alarm is active; undefined: still. */
export type Activity = {
  readonly subject: number;
  readonly raised_s: number;
  readonly cleared_s: number | undefined;
};

export type ReferenceRule = {
  readonly on_delay_s: number;
  readonly off_delay_s: number;
  /**
   * What a sample shows, given what the one before did and every value known by then: a subject,
   * undefined where it shows none, null where it says nothing.
   */
  readonly shows: (
    sample: { readonly at_s: number; readonly value: number },
    before: number | undefined,
    known: ReadonlyMap<number, number>,
  ) => number | undefined | null;
};

const grace_s = 5;

/** The activities of a rule on one tag. */
export function activitiesOf(
  { on_delay_s, off_delay_s, shows }: ReferenceRule,
  log: readonly Happening[],
): Activity[] {
  const { runs, proven_s } = runsOf(shows, log);
  const found: Activity[] = [];
  let active: { subject: number; raised_s: number } | undefined;
  const clear = (cleared_s: number) => {
    found.push({ ...active!, cleared_s });
    active = undefined;
  };
  for (const [i, { subject, from_s }] of runs.entries()) {
    const to_s = runs[i + 1]?.from_s;
    const lasts = (delay_s: number) =>
      to_s === undefined ? proven_s >= from_s + delay_s : to_s > from_s + delay_s;
    if (active && subject === undefined && lasts(off_delay_s)) clear(from_s + off_delay_s);
    if (active && subject !== undefined && subject !== active.subject) clear(from_s);
    if (!active && subject !== undefined && lasts(on_delay_s)) {
      active = { subject, raised_s: from_s + on_delay_s };
    }
  }
  return active ? [...found, { ...active, cleared_s: undefined }] : found;
}

type Run = { readonly subject: number | undefined; readonly from_s: number };

/** The newest samples as runs that show the same, and up to when the last one is known to last. */
function runsOf(shows: ReferenceRule["shows"], log: readonly Happening[]) {
  const known = new Map<number, number>();
  const runs: Run[] = [];
  let head_s = -Infinity;
  let proven_s = -Infinity;
  for (const happening of log) {
    if (happening.kind === "tick") {
      proven_s = Math.max(proven_s, happening.now_s - grace_s);
      continue;
    }
    for (const { at_s, value } of happening.samples.toSorted((a, b) => a.at_s - b.at_s)) {
      if (value !== null && at_s > head_s) {
        const subject = shows({ at_s, value }, runs.at(-1)?.subject, known);
        if (subject !== null) {
          if (runs.length === 0 || runs.at(-1)!.subject !== subject) {
            runs.push({ subject, from_s: at_s });
          }
          proven_s = Math.max(proven_s, at_s);
        }
      }
      if (value === null) known.delete(at_s);
      else known.set(at_s, value);
      head_s = Math.max(head_s, at_s);
    }
  }
  return { runs, proven_s };
}

/** The activities of a stale rule, from the first value on. */
export function silencesOf(max_age_s: number, log: readonly Happening[]): Activity[] {
  const found: { subject: number; raised_s: number; cleared_s: number | undefined }[] = [];
  let last_s = Infinity;
  let head_s = -Infinity;
  const isOpen = () => found.length > 0 && found.at(-1)!.cleared_s === undefined;
  for (const happening of log) {
    if (happening.kind === "tick") {
      const raised_s = last_s + max_age_s;
      if (!isOpen() && happening.now_s >= raised_s) {
        found.push({ subject: 0, raised_s, cleared_s: undefined });
      }
      continue;
    }
    for (const { at_s, value } of happening.samples.toSorted((a, b) => a.at_s - b.at_s)) {
      if (value !== null && at_s > head_s) {
        if (!isOpen() && at_s - last_s > max_age_s) {
          found.push({ subject: 0, raised_s: last_s + max_age_s, cleared_s: undefined });
        }
        if (isOpen()) found.at(-1)!.cleared_s = Math.max(found.at(-1)!.raised_s, at_s);
      }
      if (value !== null) last_s = last_s === Infinity ? at_s : Math.max(last_s, at_s);
      head_s = Math.max(head_s, at_s);
    }
  }
  return found;
}
