// What the words of alarms mean, for the page that explains them.
import type { AlarmEventKind, AlarmEventType, ResolutionPolicy } from "../../model/alarms/alarm.ts";
import type { RuleKind } from "../../model/rules/rule.ts";

/** A way that an occurrence goes. */
type LifeStep = {
  readonly from: string;
  readonly action: string;
  readonly to: string;
  readonly event: AlarmEventType;
};

/** Every way, in the order of a life. */
export const life: readonly LifeStep[] = [
  { from: "–", action: "the condition holds for on_delay_s", to: "open", event: "raised" },
  { from: "open", action: "claim", to: "claimed", event: "claimed" },
  { from: "claimed", action: "release", to: "open", event: "released" },
  {
    from: "open, claimed",
    action: "shelve, with a reason and an end",
    to: "shelved",
    event: "shelved",
  },
  {
    from: "shelved",
    action: "unshelve, or its time is up, or recovery where the policy is auto",
    to: "the status before",
    event: "unshelved",
  },
  {
    from: "open, claimed, shelved",
    action: "resolve, with a note",
    to: "resolved",
    event: "resolved",
  },
  { from: "resolved, not ended", action: "reopen", to: "open", event: "reopened" },
  {
    from: "any, not ended",
    action: "the condition is gone for off_delay_s",
    to: "the same; cleared_at is set",
    event: "cleared",
  },
  {
    from: "cleared, not ended",
    action: "the condition holds again (manual, require_both)",
    to: "the same; cleared_at is null",
    event: "reraised",
  },
  { from: "any", action: "comment", to: "the same", event: "commented" },
  { from: "any", action: "its tag is mapped to a device", to: "the same", event: "device_mapped" },
  {
    from: "any",
    action: "a newer snapshot of its source",
    to: "as the source says",
    event: "source_updated",
  },
];

/** When an occurrence ends, by policy. */
export const policy_docs: Readonly<Record<ResolutionPolicy, string>> = {
  auto: "When its condition has gone. status stays what it was: open with cleared_at is inactive.",
  manual: "When an operator resolves it; after recovery it stays in the queue until then.",
  require_both: "When its condition has gone and an operator has resolved it, in any order.",
};

/** Who or what events come from. */
export const event_kind_docs: Readonly<Record<AlarmEventKind, string>> = {
  lifecycle: "The condition: raised, cleared, reraised.",
  operator: "A user's action: user_id and user_email tell whose.",
  system: "The service: a shelf's time is up, inhibition, a device was mapped, a rule is gone.",
  source: "The source system: its own events, and changes that its snapshots tell.",
};

/** When the condition of a rule holds, by kind. */
export const rule_docs: Readonly<Record<RuleKind, string>> = {
  threshold: "A value beyond the threshold; off again where the deadband behind it is left. " +
    "peak_value is the value furthest beyond it.",
  stale: "No value for longer than max_age_s, by a clock that outlives restarts.",
  bitmask: "Any bit of the mask in a word. One occurrence while any is set; decoded_labels names " +
    "all that were, bit N where one has no label.",
  enum: "A code of the list, each an occurrence of its own; with points, any code but 0: " +
    "decoded_labels has its name in the device model's list, point_key is Error-N. A fraction or " +
    "a number beyond 2^53 is no code.",
  rate_of_change: "A change per minute beyond the limit, from the newest value that is at least " +
    "over_s older.",
  deviation: "A minute's value apart from what is expected by more than a share of that.",
};

/** The keys of `params`, by kind. */
export const params_docs: Readonly<Record<RuleKind, string>> = {
  threshold: "operator, threshold; deadband where it is not 0",
  stale: "max_age_s",
  bitmask: "mask: a number, or its decimal digits as a text beyond 2^53",
  enum: "codes, or points: true",
  rate_of_change: "direction, limit_per_min, over_s",
  deviation: "from, side, limit_pct, min_expected",
};
