// Why an inverter's cell is red, in one sentence: from its state, the evidence for it, its peers,
// what was lost, and what is done about it.
import type { inverters_en } from "../words/en/inverters.ts";
import type { Span } from "../frame/span.ts";
import { normal_share } from "./judge.ts";
import { isOut, type LostSpan, overlapping, type StateSpan } from "./states.ts";

type Words = typeof inverters_en;

/** An alarm that stood; one that put the inverter out of service is an outage. */
type WhyAlarm = {
  readonly name: string;
  readonly labels: readonly string[];
  readonly is_outage: boolean;
  readonly raised_ms: number;
  /** Undefined while it stands. */
  readonly cleared_ms: number | undefined;
};

/** What is known of an inverter in some time. */
export type WhyFacts = {
  readonly from_ms: number;
  readonly to_ms: number;
  /** The moment that is shown: nothing is known of later. */
  readonly until_ms: number;
  /** Part missing of what is expected and of what its peers make; NaN where unknown. */
  readonly shortfall: number;
  readonly against_peers: number;
  /** What is missing, in Wh; NaN where unknown. */
  readonly lost_wh: number;
  /** What was expected, in Wh; NaN where unknown. */
  readonly expected_wh: number;
  /** Whether none of it is over at the moment, so that nothing is known of it. */
  readonly is_early: boolean;
  /** Whether there was too little light to tell. */
  readonly is_dark: boolean;
  /** Whether anything of its power was measured. */
  readonly is_measured: boolean;
  readonly states: readonly StateSpan[];
  readonly losses: readonly LostSpan[];
  /** Alarms that stood in this time, the gravest first. */
  readonly alarms: readonly WhyAlarm[];
  /** What is open about it. */
  readonly issues: readonly { readonly number: number; readonly name: string }[];
};

/** Numbers and times as the reader's language and the plant's zone have them. */
export type WhyFormat = {
  readonly percent: (part: number) => string;
  readonly energy: (wh: number) => string;
  readonly time: (at_ms: number) => string;
};

/** What is the matter. */
export type WhyVerdict =
  | "early"
  | "dark"
  | "silent"
  | "out"
  | "limited"
  | "loss"
  | "shared"
  | "alone"
  | "fine";

/** Losses that are as they were meant: a setpoint's, or the rating's. */
const meant = ["curtailment", "clipping"];

/** What is the matter with an inverter. */
export function verdictOf(facts: WhyFacts): WhyVerdict {
  const { shortfall, against_peers, is_early, is_dark, is_measured } = facts;
  if (outageOf(facts) || outageAlarmOf(facts)) return "out";
  if (is_early) return "early";
  if (!is_measured) return is_dark ? "dark" : "silent";
  if (is_dark) return "dark";
  const missing = Number.isNaN(shortfall) ? against_peers : shortfall;
  const is_limited = lossOf(facts, "meant") !== undefined;
  if (!(missing >= normal_share)) return is_limited ? "limited" : "fine";
  if (lossOf(facts, "fault")) return "loss";
  if (!(against_peers < missing / 2)) return "alone";
  return is_limited ? "limited" : "shared";
}

/** What a clause of the sentence is made of. */
type Told = {
  readonly verdict: WhyVerdict;
  readonly facts: WhyFacts;
  readonly say: Words;
  readonly format: WhyFormat;
};

/** The answer to "why is this red". */
export function whySentence(facts: WhyFacts, say: Words, format: WhyFormat): string {
  const told = { verdict: verdictOf(facts), facts, say, format };
  const clauses = [headOf, evidenceOf, alarmOf, peersOf, lostOf, issueOf].map((of) => of(told));
  return `${clauses.filter((it) => it !== "").join("; ")}.`;
}

/** The longest stretch of an outage, where that is what the shown time is about. */
function outageOf(facts: WhyFacts): StateSpan | undefined {
  return overlapping(facts.states, facts).find((span) =>
    isOut(span.state) && isTold(facts, { ...span, goes_on: runOf(facts.states, span).is_last })
  );
}

/** The newest trip, where that is what the shown time is about; states come later than alarms. */
function outageAlarmOf(facts: WhyFacts): WhyAlarm | undefined {
  return facts.alarms.filter(({ is_outage }) => is_outage)
    .toSorted((a, b) => b.raised_ms - a.raised_ms)
    .find(({ raised_ms, cleared_ms }) => {
      const to_ms = cleared_ms ?? facts.until_ms;
      return isTold(facts, { from_ms: raised_ms, to_ms, goes_on: cleared_ms === undefined });
    });
}

/** In no more than this any outage is told; of more it has to be what most is lost by. */
const short_ms = 15 * 60_000;

/** Whether an outage goes on, took half of the time, or cost half of what is missing. */
function isTold(
  { from_ms, to_ms, until_ms, losses, lost_wh }: WhyFacts,
  outage: Span & { readonly goes_on: boolean },
): boolean {
  const end_ms = Math.min(to_ms, until_ms);
  if (to_ms - from_ms <= short_ms || outage.goes_on) return true;
  const inside_ms = Math.min(outage.to_ms, end_ms) - Math.max(outage.from_ms, from_ms);
  if (inside_ms >= (end_ms - from_ms) / 2) return true;
  const cost_wh = outageCost(losses, outage);
  return cost_wh > 0 && cost_wh >= lost_wh / 2;
}

/** What an outage cost; what is lost in its quarter-hours is lost by it. */
function outageCost(losses: readonly LostSpan[], outage: Span): number {
  return overlapping(losses.filter(({ part }) => part === "unavailability"), outage)
    .reduce((sum, { energy_wh }) => sum + (energy_wh || 0), 0);
}

/** The energy of some losses in a time; of those partly outside it, that share. */
function energyIn(losses: readonly LostSpan[], { from_ms, to_ms }: Span): number {
  return losses.reduce((sum, it) => {
    const inside_ms = Math.min(it.to_ms, to_ms) - Math.max(it.from_ms, from_ms);
    const share = Math.max(0, inside_ms) / (it.to_ms - it.from_ms);
    return sum + (share > 0 ? (it.energy_wh || 0) * share : 0);
  }, 0);
}

/** The whole outage that a stretch of it belongs to, and whether nothing came after it. */
function runOf(states: readonly StateSpan[], part: StateSpan) {
  const at = states.indexOf(part);
  const before = states.slice(0, at).findLastIndex(({ state }) => !isOut(state));
  const after = states.findIndex(({ state }, i) => i > at && !isOut(state));
  const last = states[after < 0 ? states.length - 1 : after - 1];
  return { from_ms: states[before + 1].from_ms, to_ms: last.to_ms, is_last: after < 0 };
}

/**
 * The cause that explains most of what is missing, or that a good part of what could have been made
 * was not wanted. While nothing is known of how much, one that took most of the time.
 */
function lossOf(facts: WhyFacts, kind: "meant" | "fault"): LostSpan | undefined {
  const { lost_wh, expected_wh, from_ms, to_ms, until_ms } = facts;
  const found = overlapping(facts.losses, facts).filter(({ part }) =>
    part !== "unmeasured" && meant.includes(part) === (kind === "meant")
  );
  const known = found.filter(({ energy_wh }) => !Number.isNaN(energy_wh));
  const parts = Map.groupBy(known, ({ part }) => part);
  const sums = [...parts.values()].map((spans) => ({ span: spans[0], wh: energyIn(spans, facts) }));
  const greatest = sums.toSorted((a, b) => b.wh - a.wh)[0];
  const least_wh = kind === "fault" ? lost_wh / 2 : expected_wh * normal_share;
  if (greatest && !(greatest.wh < least_wh)) return greatest.span;
  const shown_ms = Math.min(to_ms, until_ms) - from_ms;
  return found.find((it) =>
    Number.isNaN(it.energy_wh) &&
    Math.min(it.to_ms, to_ms) - Math.max(it.from_ms, from_ms) >= shown_ms / 2
  );
}

function headOf({ verdict, facts, say, format }: Told): string {
  const part = Number.isNaN(facts.shortfall) ? facts.against_peers : facts.shortfall;
  if (verdict === "out") return outHeadOf(facts, say, format);
  const loss = lossOf(facts, verdict === "limited" ? "meant" : "fault");
  if (verdict === "limited" && loss) return say[`why_${loss.part as "curtailment" | "clipping"}`];
  if (verdict === "loss" && loss) {
    return say.why_loss(format.percent(part), say[`part_${loss.part}`]);
  }
  const has_alarm = facts.alarms.length > 0;
  if (verdict === "alone" || verdict === "shared") {
    const words = has_alarm ? say.why_missing : say[`why_${verdict}`];
    return words(format.percent(part));
  }
  if (verdict === "fine") {
    if (Number.isNaN(part)) return has_alarm ? say.why_runs : say.why_running;
    return say[has_alarm ? "why_makes" : "why_fine"](format.percent(1 - part));
  }
  if (verdict === "early") return say.why_early;
  return verdict === "dark" ? say.why_dark : say.why_silent;
}

/** Since when, or from when to when, it is out: by its state, or else by an alarm alone. */
function outHeadOf(facts: WhyFacts, say: Words, format: WhyFormat): string {
  const state = outageOf(facts);
  const alarm = outageAlarmOf(facts);
  if (state) {
    const { from_ms, to_ms, is_last } = runOf(facts.states, state);
    const [name, from] = [say[`state_${state.state}`], format.time(from_ms)];
    return is_last ? say.why_out(name, from) : say.why_was_out(name, from, format.time(to_ms));
  }
  const { raised_ms, cleared_ms } = alarm!;
  const [name, from] = [alarmName(alarm!), format.time(raised_ms)];
  return cleared_ms === undefined
    ? say.why_out(name, from)
    : say.why_was_out(name, from, format.time(cleared_ms));
}

function evidenceOf({ verdict, facts, say }: Told): string {
  const kind = verdict === "limited" ? "meant" : "fault";
  const found = verdict === "out" ? outageOf(facts) : lossOf(facts, kind);
  if (!["out", "limited", "loss"].includes(verdict) || !found) return "";
  const { evidence, detail } = found;
  const override = "override" in found ? found.override : undefined;
  if (override) return say.why_override(override.author, override.reason);
  const known = say[`evidence_${evidence}`];
  return say.why_evidence(detail && evidence !== "peers" ? `${known} (${detail})` : known);
}

/** The alarm that comes first: of an outage one that is of it, else the gravest. */
function alarmOf({ verdict, facts, say }: Told): string {
  const { alarms } = facts;
  if (alarms.length === 0 || verdict === "dark") return "";
  const trip = verdict === "out" ? outageAlarmOf(facts) : undefined;
  if (trip && !outageOf(facts)) {
    return alarms.length > 1 ? say.why_more_alarms(alarms.length - 1) : "";
  }
  return say.why_alarm(alarmName(trip ?? alarms[0]), alarms.length - 1);
}

function alarmName({ name, labels }: WhyAlarm): string {
  return [name, ...labels].join(", ");
}

function peersOf({ verdict, facts, say, format }: Told): string {
  const { shortfall, against_peers, alarms } = facts;
  if (verdict === "shared") return alarms.length > 0 ? say.why_peers_same : "";
  if (["early", "dark", "silent", "fine", "limited"].includes(verdict)) return "";
  if (Number.isNaN(against_peers)) return "";
  if (verdict === "out") return against_peers > 0.1 ? say.why_peers_run : "";
  if (Math.abs(against_peers - shortfall) < 0.02) return say.why_peers_well;
  return against_peers >= normal_share
    ? say.why_peers_more(format.percent(against_peers))
    : say.why_peers_same;
}

/** What was lost in the shown time; of an outage that is only a part of it, what that cost. */
function lostOf({ verdict, facts, say, format }: Told): string {
  if (!["out", "loss", "alone"].includes(verdict)) return "";
  const { from_ms, to_ms, until_ms, losses } = facts;
  const outage = verdict === "out" ? outageTime(facts) : undefined;
  const is_part = outage !== undefined &&
    (outage.from_ms > from_ms || outage.to_ms < Math.min(to_ms, until_ms));
  const lost_wh = is_part ? outageCost(losses, outage) : facts.lost_wh;
  return lost_wh > 0 ? say.why_lost(format.energy(lost_wh)) : "";
}

/** From when to when it was out: by its state, or else by an alarm alone. */
function outageTime(facts: WhyFacts): Span {
  const state = outageOf(facts);
  if (state) return runOf(facts.states, state);
  const { raised_ms, cleared_ms = facts.until_ms } = outageAlarmOf(facts)!;
  return { from_ms: raised_ms, to_ms: cleared_ms };
}

function issueOf({ verdict, facts: { issues }, say }: Told): string {
  if (["early", "dark", "fine", "shared", "limited"].includes(verdict)) return "";
  const [issue] = issues;
  return issue ? say.why_issue(issue.number, issue.name) : say.why_no_issue;
}
