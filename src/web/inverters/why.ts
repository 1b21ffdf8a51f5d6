// Why an inverter's cell is red, in one sentence: from its state, the evidence for it, its peers,
// what was lost, and what is done about it.
import type { inverters_en } from "../words/en/inverters.ts";
import { normal_share } from "./judge.ts";
import { isOut, type LostSpan, overlapping, type StateSpan } from "./states.ts";

type Words = typeof inverters_en;

/** What is known of an inverter in some time. */
export type WhyFacts = {
  readonly from_ms: number;
  readonly to_ms: number;
  /** Part missing of what is expected and of what its peers make; NaN where unknown. */
  readonly shortfall: number;
  readonly against_peers: number;
  /** What is missing, in Wh; NaN where unknown. */
  readonly lost_wh: number;
  /** Whether there was too little light to tell. */
  readonly is_dark: boolean;
  /** Whether anything of its power was measured. */
  readonly is_measured: boolean;
  readonly states: readonly StateSpan[];
  readonly losses: readonly LostSpan[];
  /** Alarms that stood in this time, the gravest first. */
  readonly alarms: readonly { readonly name: string; readonly labels: readonly string[] }[];
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
  const { shortfall, against_peers, is_dark, is_measured } = facts;
  if (outageOf(facts)) return "out";
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

/** The state of an outage that took most of the time in which there was one. */
function outageOf(facts: WhyFacts): StateSpan | undefined {
  return overlapping(facts.states, facts).find(({ state }) => isOut(state));
}

/** The whole outage that a stretch of it belongs to, and whether nothing came after it. */
function runOf(states: readonly StateSpan[], part: StateSpan) {
  const at = states.indexOf(part);
  const before = states.slice(0, at).findLastIndex(({ state }) => !isOut(state));
  const after = states.findIndex(({ state }, i) => i > at && !isOut(state));
  const last = states[after < 0 ? states.length - 1 : after - 1];
  return { from_ms: states[before + 1].from_ms, to_ms: last.to_ms, is_last: after < 0 };
}

/** What took most energy; while nothing is known of how much, what took most time. */
function lossOf(facts: WhyFacts, kind: "meant" | "fault"): LostSpan | undefined {
  const found = overlapping(facts.losses, facts).filter(({ part }) =>
    part !== "unmeasured" && meant.includes(part) === (kind === "meant")
  );
  const known = found.filter(({ energy_wh }) => !Number.isNaN(energy_wh));
  const parts = Map.groupBy(known, ({ part }) => part);
  const sums = [...parts.values()].map((spans) => ({
    span: spans[0],
    wh: spans.reduce((sum, { energy_wh }) => sum + energy_wh, 0),
  }));
  return sums.toSorted((a, b) => b.wh - a.wh)[0]?.span ?? found[0];
}

function headOf({ verdict, facts, say, format }: Told): string {
  const part = Number.isNaN(facts.shortfall) ? facts.against_peers : facts.shortfall;
  const out = outageOf(facts);
  if (verdict === "out" && out) {
    const { from_ms, to_ms, is_last } = runOf(facts.states, out);
    const [state, from] = [say[`state_${out.state}`], format.time(from_ms)];
    return is_last ? say.why_out(state, from) : say.why_was_out(state, from, format.time(to_ms));
  }
  const loss = lossOf(facts, verdict === "limited" ? "meant" : "fault");
  if (verdict === "limited" && loss) return say[`why_${loss.part as "curtailment" | "clipping"}`];
  if (verdict === "loss" && loss) {
    return say.why_loss(format.percent(part), say[`part_${loss.part}`]);
  }
  if (verdict === "alone" || verdict === "shared") {
    return say[`why_${verdict}`](format.percent(part));
  }
  if (verdict === "fine") {
    return Number.isNaN(part) ? say.why_running : say.why_fine(format.percent(1 - part));
  }
  return verdict === "dark" ? say.why_dark : say.why_silent;
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

function alarmOf({ verdict, facts: { alarms }, say }: Told): string {
  if (alarms.length === 0 || verdict === "dark") return "";
  const [{ name, labels }] = alarms;
  return say.why_alarm([name, ...labels].join(", "), alarms.length - 1);
}

function peersOf({ verdict, facts, say, format }: Told): string {
  const { shortfall, against_peers } = facts;
  if (["dark", "silent", "fine", "shared", "limited"].includes(verdict)) return "";
  if (Number.isNaN(against_peers)) return "";
  if (verdict === "out") return against_peers > 0.1 ? say.why_peers_run : "";
  if (Math.abs(against_peers - shortfall) < 0.02) return say.why_peers_well;
  return against_peers >= normal_share
    ? say.why_peers_more(format.percent(against_peers))
    : say.why_peers_same;
}

function lostOf({ verdict, facts: { lost_wh }, say, format }: Told): string {
  const is_loss = ["out", "loss", "alone"].includes(verdict) && lost_wh > 0;
  return is_loss ? say.why_lost(format.energy(lost_wh)) : "";
}

function issueOf({ verdict, facts: { issues }, say }: Told): string {
  if (["dark", "fine", "shared", "limited"].includes(verdict)) return "";
  const [issue] = issues;
  return issue ? say.why_issue(issue.number, issue.name) : say.why_no_issue;
}
