// The machine of one watchpoint: quiet, rising, active, falling, by the times of its samples.
import { bitsOf, heldBy, heldOf, labelsOf, reachOf } from "./condition.ts";
import { durationUs, type Point } from "./kind.ts";
import { definitionOf } from "./kinds.ts";
import { rule_limits } from "./limits.ts";
import type { Watchpoint } from "./rule.ts";

/** Where a machine stands: a condition that begins or ends waits for its delay in between. */
export const phases = ["quiet", "rising", "active", "falling"] as const;
export type Phase = typeof phases[number];

/** A watchpoint and where it stands; a value that never changes. */
export type Machine = {
  readonly watchpoint: Watchpoint;
  readonly phase: Phase;
  /** The code of an enum rule that shows, else 0. */
  readonly subject: number;
  /** rising: the first sample that shows the condition; falling: the first that shows its end. */
  readonly since_us: number;
  readonly since_value: number;
  /** The sample that the condition began with; null where a silent tag never sent one. */
  readonly source_us: number | null;
  /** Of what showed since the condition began; null for codes and bits. */
  readonly peak_value: number | null;
  readonly peak_at: number | null;
  /** The bits that showed since then. */
  readonly bits: bigint;
  /** When it last raised or cleared, before which it does neither; -Infinity: never. */
  readonly turned_us: number;
};

/** What a machine tells: an alarm is raised or cleared, or more of its bits showed. */
export type Transition = {
  readonly kind: "raise" | "clear" | "labels";
  readonly watchpoint: Watchpoint;
  readonly subject: number;
  /** `raised_at`, `cleared_at`: the first sample that shows it and the delay. */
  readonly at_us: number;
  /** That first sample. */
  readonly since_us: number;
  readonly source_ts: number | null;
  readonly value: number;
  readonly peak_value: number | null;
  readonly peak_at: number | null;
  readonly decoded_labels: readonly string[];
};

/** A machine at rest. */
export function atRest(watchpoint: Watchpoint, turned_us = -Infinity): Machine {
  return {
    ...{ watchpoint, phase: "quiet", subject: 0, since_us: turned_us, since_value: 0 },
    ...{ source_us: null, peak_value: null, peak_at: null, bits: 0n, turned_us },
  };
}

/**
 * The machine after a point, which is newer than every one before; what it tells goes to `told`.
 * The same machine where nothing changes: the common case, which allocates nothing.
 */
export function step(machine: Machine, point: Point, told: Transition[]): Machine {
  const { condition } = machine.watchpoint.rule;
  const kind = definitionOf(condition);
  const { by } = kind.needs.trigger;
  if (by === "silence") return heard(machine, point, told);
  const value = heldBy(kind, machine.watchpoint, point);
  if (value === undefined) return by === "minutes" ? broken(machine) : machine;
  const subject = kind.judge.subjectOf(condition, value, { standing: isStanding(machine) });
  if (subject === undefined && machine.phase === "quiet") return machine;
  return turn(machine, { ts_us: point.ts_us, source_us: point.ts_us, value, subject }, told);
}

/** The machine where nothing can be said for a while, as by night: what waits starts again. */
function broken(machine: Machine): Machine {
  if (machine.phase === "rising") return atRest(machine.watchpoint, machine.turned_us);
  return machine.phase === "falling" ? { ...machine, phase: "active" } : machine;
}

/** The machine once everything is over that is due up to `upto_us`. */
export function tick(machine: Machine, upto_us: number, told: Transition[]): Machine {
  if (dueUs(machine) > upto_us) return machine;
  return machine.phase === "rising" ? raised(machine, told) : cleared(machine, told);
}

/** The machine after a value that came late, which is its peak if it was the furthest by then. */
export function amended(machine: Machine, point: Point): Machine {
  const { watchpoint, phase, source_us, since_us } = machine;
  const to_us = phase === "falling" ? since_us : Infinity;
  if (source_us === null || point.ts_us <= source_us || point.ts_us >= to_us) return machine;
  const held = heldOf(watchpoint, point);
  return held === undefined ? machine : topped(machine, point.ts_us, Number(held));
}

/** When the delay is over that a machine waits for, by the samples' time; Infinity for none. */
export function dueUs(
  { phase, since_us, watchpoint: { rule } }: Machine,
): number {
  if (phase === "rising") return since_us + durationUs(rule.on_delay_s);
  return phase === "falling" ? since_us + durationUs(rule.off_delay_s) : Infinity;
}

/** Since when a tag sent no value: its newest one, or when the rule began to watch it. */
export type Heard = Pick<Point, "before_us" | "begun_us">;

/** The machine when its tag sent no newer value up to `upto_us`: what waits for a silence. */
export function hush(
  machine: Machine,
  { upto_us, ...heard }: Heard & { readonly upto_us: number },
  told: Transition[],
): Machine {
  const ts_us = silentUs(machine, heard);
  if (ts_us === Infinity || ts_us > upto_us) return machine;
  const value = maxAge(machine);
  const silent = { ts_us, source_us: heard.before_us ?? null, value, subject: 0 };
  return tick(turn(machine, silent, told), upto_us, told);
}

/** When a tag without a newer value is stale; Infinity where that is known already, or never. */
export function silentUs(machine: Machine, { before_us, begun_us }: Heard): number {
  if (isStanding(machine)) return Infinity;
  return (before_us ?? begun_us ?? Infinity) + durationUs(maxAge(machine));
}

/** Whether the condition holds, as far as the last point shows. */
function isStanding({ phase }: Machine): boolean {
  return phase === "rising" || phase === "active";
}

function maxAge({ watchpoint: { rule: { condition } } }: Machine): number {
  const { trigger } = definitionOf(condition).needs;
  return trigger.by === "silence" ? trigger.maxAgeS(condition) : Infinity;
}

/** The machine of a silence after a sample: one with a value ends a silence. */
function heard(
  machine: Machine,
  { ts_us, value, known_us = Infinity, ...heard }: Point,
  told: Transition[],
): Machine {
  if (value === null) return machine;
  const silent = hush(machine, { ...heard, upto_us: Math.min(ts_us - 1, known_us) }, told);
  if (silent.phase === "quiet") return silent;
  const age_s = (ts_us - (heard.before_us ?? heard.begun_us ?? ts_us)) / 1_000_000;
  return over(isStanding(silent) ? topped(silent, ts_us, age_s) : silent, ts_us, told);
}

function over(machine: Machine, ts_us: number, told: Transition[]): Machine {
  return turn(machine, { ts_us, source_us: ts_us, value: 0, subject: undefined }, told);
}

/** What a point shows. */
type Shown = {
  readonly ts_us: number;
  readonly source_us: number | null;
  readonly value: number | bigint;
  readonly subject: number | undefined;
};

/** Delays that were over before the point, then the point itself. */
function turn(machine: Machine, shown: Shown, told: Transition[]): Machine {
  const { ts_us, subject } = shown;
  const goes_on = machine.phase === "rising" ? subject === machine.subject : subject === undefined;
  const now = tick(machine, goes_on ? ts_us : ts_us - 1, told);
  if (subject === undefined) return gone(now, shown, told);
  if (now.phase === "quiet") return begun(now, shown, told);
  if (subject === now.subject) return again(now, shown, told);
  return begun(now.phase === "rising" ? now : cut(now, shown, told), shown, told);
}

function gone(machine: Machine, { ts_us, value }: Shown, told: Transition[]): Machine {
  if (machine.phase === "rising") return atRest(machine.watchpoint, machine.turned_us);
  if (machine.phase !== "active") return machine;
  const falling = { ...machine, phase: "falling", since_us: ts_us, since_value: Number(value) };
  return tick(falling as Machine, ts_us, told);
}

function begun({ watchpoint, turned_us }: Machine, shown: Shown, told: Transition[]): Machine {
  const { ts_us, source_us, subject = 0 } = shown;
  const since_value = Number(shown.value);
  const { condition } = watchpoint.rule;
  const peaks = !Number.isNaN(reachOf(condition, since_value));
  const rising: Machine = {
    ...{ watchpoint, phase: "rising", subject, since_us: ts_us, since_value, source_us },
    peak_value: peaks ? since_value : null,
    peak_at: peaks ? ts_us : null,
    bits: bitsOf(condition, shown.value),
    turned_us,
  };
  return tick(rising, ts_us, told);
}

/** The condition shows still, or again before its end was told. */
function again(machine: Machine, { ts_us, value }: Shown, told: Transition[]): Machine {
  const standing: Machine = machine.phase === "falling"
    ? { ...machine, phase: "active", since_us: ts_us }
    : machine;
  const top = topped(standing, ts_us, Number(value));
  const more = bitsOf(machine.watchpoint.rule.condition, value) & ~top.bits;
  if (more === 0n) return top;
  const grown = { ...top, bits: top.bits | more };
  if (
    grown.phase === "active" && labelsOf(grown.watchpoint, grown).length >
      labelsOf(top.watchpoint, top).length
  ) {
    told.push(transition("labels", grown, { at_us: ts_us, since_us: ts_us, value: Number(value) }));
  }
  return grown;
}

/** Another code shows: the one before is over at once. */
function cut(machine: Machine, { ts_us, value }: Shown, told: Transition[]): Machine {
  return cleared({ ...machine, since_us: ts_us, since_value: Number(value) }, told, ts_us);
}

function topped(machine: Machine, ts_us: number, value: number): Machine {
  const { condition } = machine.watchpoint.rule;
  const { peak_value } = machine;
  if (peak_value === null || !(reachOf(condition, value) > reachOf(condition, peak_value))) {
    return machine;
  }
  return { ...machine, peak_value: value, peak_at: ts_us };
}

function raised(machine: Machine, told: Transition[]): Machine {
  const { since_us, since_value: value } = machine;
  const at_us = Math.max(dueUs(machine), machine.turned_us);
  told.push(transition("raise", machine, { at_us, since_us, value }));
  return { ...machine, phase: "active", turned_us: at_us };
}

function cleared(machine: Machine, told: Transition[], due_us = dueUs(machine)): Machine {
  const { since_us, since_value: value } = machine;
  const at_us = Math.max(due_us, machine.turned_us);
  told.push(transition("clear", machine, { at_us, since_us, value }));
  // What a clock that was far ahead raised says nothing of when the next one may be.
  const is_far = at_us - due_us > rule_limits.watch_back_us;
  return atRest(machine.watchpoint, is_far ? due_us : at_us);
}

function transition(
  kind: Transition["kind"],
  machine: Machine,
  at: Pick<Transition, "at_us" | "since_us" | "value">,
): Transition {
  const { watchpoint, subject, source_us, peak_value, peak_at } = machine;
  return {
    ...{ kind, watchpoint, subject, ...at, source_ts: source_us, peak_value, peak_at },
    decoded_labels: labelsOf(watchpoint, machine),
  };
}
