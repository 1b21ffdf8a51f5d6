// What the words of alarms mean, for the page that explains them.
import type { AlarmEventKind, AlarmEventType, ResolutionPolicy } from "../../model/alarms/alarm.ts";

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
