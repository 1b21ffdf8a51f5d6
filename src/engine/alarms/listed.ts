// Alarms of short lists as they were read last: the same ones are looked at again and again.
import type { AlarmEvent, Occurrence } from "../../model/alarms/alarm.ts";
import { alarm_limits } from "../../model/alarms/limits.ts";
import type { Version } from "../../store/alarms/alarm.ts";

/** An occurrence with those of its events that a list shows. */
export type ListedAlarm = {
  readonly occurrence: Occurrence;
  readonly events: readonly AlarmEvent[];
};

/** What lists have shown, up to a bound. */
export class ListedAlarms {
  /** By number, the longest unread first. */
  readonly #kept = new Map<number, ListedAlarm>();

  /** An alarm as it was at that very version; undefined where that is not kept. */
  get({ occurrence_no, synced_at }: Version): ListedAlarm | undefined {
    const kept = this.#kept.get(occurrence_no);
    if (kept?.occurrence.synced_at !== synced_at) return undefined;
    this.#put(kept);
    return kept;
  }

  /** Keeps an alarm, unless its texts are long. */
  keep(alarm: ListedAlarm): void {
    if (textLength(alarm) > alarm_limits.listed_text_length) return;
    this.#put(alarm);
    if (this.#kept.size <= alarm_limits.listed_kept) return;
    const [oldest] = this.#kept.keys();
    this.#kept.delete(oldest);
  }

  /** Gives the memory of what is kept back. */
  forget(): void {
    this.#kept.clear();
  }

  #put(alarm: ListedAlarm): void {
    const { occurrence_no } = alarm.occurrence;
    this.#kept.delete(occurrence_no);
    this.#kept.set(occurrence_no, alarm);
  }
}

/** How long those texts of an alarm are together that may be long. */
function textLength({ occurrence, events }: ListedAlarm): number {
  const { decoded_labels, params, resolution, rule_description } = occurrence;
  const texts = [params, resolution, rule_description, ...decoded_labels];
  for (const { body, detail } of events) texts.push(body, detail);
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}
