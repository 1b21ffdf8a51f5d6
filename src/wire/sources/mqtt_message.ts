// Samples of a broker's messages: plain values, JSON by paths, batches; or why there are none.
import { strictTextOf } from "../../base/bytes.ts";
import { type JsonPath, valueAt } from "../../model/sources/json_path.ts";
import type { MessageMap, TimeUnit } from "../../model/sources/kinds/mqtt.ts";
import { source_limits } from "../../model/sources/limits.ts";
import { fillTag, readTopic, type TagWords } from "../../model/sources/topic.ts";
import { asUtc, earliest_us, instantOf, latest_us } from "../bytes/instant.ts";
import { qualityOf } from "../../model/samples/sample.ts";
import { tagFlaw } from "../samples/tag_index.ts";

/** A message's topic and payload, and when it arrived. */
type Message = {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly arrived_us: number;
};

/** A sample of a message. */
export type MessageRow = {
  readonly tag: string;
  readonly ts_us: number;
  readonly value?: number | bigint | string;
  readonly status_code?: number;
};

/** What a message gives: its samples, and what of it can't be read, each the end of a sentence. */
export type MessageRead = {
  readonly rows: readonly MessageRow[];
  readonly flaws: readonly string[];
  /** Whether each sample has a time of its own. */
  readonly is_timed: boolean;
};

/** A map whose topic a message has, and what the topic says by its names. */
type Use = {
  readonly map: MessageMap;
  readonly words: TagWords;
  /** The tag, but for what the payload says. */
  readonly tag: string;
};

const bad = 2;
const json_head = /^\s*[{[]/;
const plain_number = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

/** Reads messages by the maps of their topics; what the topics say is remembered. */
export class MessageReader {
  readonly #maps: readonly MessageMap[];
  readonly #uses = new Map<string, readonly Use[]>();
  readonly #brought = new Set<string>();

  constructor(maps: readonly MessageMap[]) {
    this.#maps = maps;
  }

  /** Reads a message; undefined where no map has its topic. */
  read(message: Message): MessageRead | undefined {
    const uses = this.#usesOf(message.topic);
    if (uses.length === 0) return undefined;
    const reading = new Reading(message, this.#bring);
    for (const use of uses) reading.take(use);
    return reading;
  }

  #usesOf(topic: string): readonly Use[] {
    const known = this.#uses.get(topic);
    if (known) return known;
    const uses = this.#maps.flatMap((map) => {
      const words = readTopic(map.topic, topic);
      return words === undefined ? [] : [{ map, words, tag: fillTag(map.tag, words) }];
    });
    if (this.#uses.size >= source_limits.known_topics) this.#uses.clear();
    this.#uses.set(topic, uses);
    return uses;
  }

  /** Why a tag can't be brought, or undefined. */
  readonly #bring = (tag: string): string | undefined => {
    if (this.#brought.has(tag)) return undefined;
    const flaw = tagFlaw(tag);
    if (flaw !== undefined) return `gives a tag that ${flaw}`;
    if (this.#brought.size >= source_limits.brought_tags) {
      const most = source_limits.brought_tags;
      return `brings more than ${most} tags: does a name in the topic change all the time?`;
    }
    this.#brought.add(tag);
    return undefined;
  };
}

/** One message while it is read. */
class Reading implements MessageRead {
  readonly rows: MessageRow[] = [];
  readonly flaws: string[] = [];
  is_timed = true;
  readonly #message: Message;
  readonly #bring: (tag: string) => string | undefined;
  #text: string | undefined;
  #json: { readonly whole: unknown } | undefined;

  constructor(message: Message, bring: (tag: string) => string | undefined) {
    this.#message = message;
    this.#bring = bring;
    if (message.payload.length === 0) this.#flaw("is empty");
    else if ((this.#text = strictTextOf(message.payload)) === undefined) {
      this.#flaw("is not UTF-8 text");
    }
  }

  take(use: Use): void {
    if (this.#text === undefined) return;
    if (use.map.value === undefined) return this.#takePlain(use, this.#text);
    this.#json ??= this.#parse(this.#text);
    if (this.#json === undefined) return;
    const { rows } = use.map;
    if (rows === undefined) return this.#takeRow(use, this.#json.whole);
    const list = valueAt(rows, this.#json.whole);
    if (!Array.isArray(list)) return this.#flaw("has no array where its rows should stand");
    for (const row of list) {
      if (this.rows.length >= source_limits.message_rows) {
        return this.#flaw(`has more than ${source_limits.message_rows} rows`);
      }
      this.#takeRow(use, row);
    }
  }

  #flaw(flaw: string): void {
    if (!this.flaws.includes(flaw)) this.flaws.push(flaw);
  }

  #parse(text: string): { readonly whole: unknown } | undefined {
    try {
      return { whole: JSON.parse(text) };
    } catch {
      // What is wrong stays the same for every map.
      this.#text = undefined;
      this.#flaw("is no JSON");
    }
  }

  #takePlain({ tag }: Use, text: string): void {
    if (json_head.test(text)) {
      return this.#flaw('is JSON: say by `value` where its value stands, such as value = "v"');
    }
    this.is_timed = false;
    this.#add(tag, { ts_us: this.#message.arrived_us, value: plainValue(text) });
  }

  /** Takes the values of one row, which is the whole where there are no rows. */
  #takeRow({ map, words, tag }: Use, row: unknown): void {
    const named = this.#named(map, words, row);
    const ts_us = this.#timeOf(map, row);
    const status_code = map.quality && statusOf(valueAt(map.quality, row));
    if (named === undefined || ts_us === undefined) return;
    if (status_code === null) return this.#flaw("has a quality that is none");
    const common = status_code === undefined ? { ts_us } : { ts_us, status_code };
    const found = valueAt(map.value!, row);
    if (map.value!.is_each) return this.#takeMembers({ map, words: named }, found, common);
    const value = valueOf(found);
    const filled = named === words ? tag : fillTag(map.tag, named);
    if (value !== null) return this.#add(filled, { ...common, value });
    // Only a quality says that there is none.
    if (qualityOf(status_code ?? 0) === bad) return this.#add(filled, common);
    this.#flaw(`has no value at ${shownPath(map.value!)}`);
  }

  /** Takes each numeric or boolean member. */
  #takeMembers(
    { map, words }: Pick<Use, "map" | "words">,
    members: unknown,
    common: Pick<MessageRow, "ts_us" | "status_code">,
  ): void {
    if (typeof members !== "object" || members === null) {
      return this.#flaw(`has no members at ${shownPath(map.value!)}`);
    }
    for (const [key, member] of Object.entries(members)) {
      if (typeof member !== "number" && typeof member !== "boolean") continue;
      if (this.rows.length >= source_limits.message_rows) {
        return this.#flaw(`has more than ${source_limits.message_rows} values`);
      }
      const value = valueOf(member) ?? undefined;
      this.#add(fillTag(map.tag, new Map(words).set("key", key)), { ...common, value });
    }
  }

  #named({ name }: MessageMap, words: TagWords, row: unknown): TagWords | undefined {
    if (name === undefined) return words;
    const text = valueAt(name, row);
    if (typeof text === "string" || typeof text === "number") {
      return new Map(words).set("name", `${text}`);
    }
    this.#flaw(`has no name at ${shownPath(name)}`);
  }

  #timeOf({ time, time_unit }: MessageMap, row: unknown): number | undefined {
    const found = time && valueAt(time, row);
    if (found === undefined || found === null) {
      this.is_timed = false;
      return this.#message.arrived_us;
    }
    const ts_us = timeOf(found, time_unit);
    if (typeof ts_us === "number") return ts_us;
    this.#flaw(ts_us);
  }

  #add(tag: string, row: Omit<MessageRow, "tag">): void {
    const flaw = this.#bring(tag);
    if (flaw === undefined) this.rows.push({ tag, ...row });
    else this.#flaw(flaw);
  }
}

function shownPath({ steps }: JsonPath): string {
  return steps.map((it, i) => typeof it === "number" ? `[${it}]` : i > 0 ? `.${it}` : it).join(
    "",
  ) ||
    "$";
}

/** A payload that is a value: a number, true or false, else a text. */
function plainValue(text: string): number | bigint | string {
  if (plain_number.test(text)) return finite(Number(text)) ?? text;
  const word = text.trim().toLowerCase();
  return word === "true" ? 1n : word === "false" ? 0n : text;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/** A value of JSON as a sample's; null where it is none. */
function valueOf(value: unknown): number | bigint | string | null {
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "number") return finite(value) ?? null;
  return typeof value === "string" ? value : null;
}

const statuses: Readonly<Record<string, number>> = {
  good: 0,
  true: 0,
  uncertain: 0x4000_0000,
  bad: 0x8000_0000,
  false: 0x8000_0000,
};

/** The status code of a quality; undefined where there is none, null where it is no quality. */
function statusOf(quality: unknown): number | undefined | null {
  if (quality === undefined || quality === null) return undefined;
  if (typeof quality === "number") {
    return Number.isInteger(quality) && quality >= 0 && quality <= 0xffff_ffff ? quality : null;
  }
  return statuses[`${quality}`.toLowerCase()] ?? null;
}

/** Microseconds in a unit, and the size up to which a number of today is in it. */
const units: Readonly<Record<Exclude<TimeUnit, "auto">, { us: number; below: number }>> = {
  s: { us: 1_000_000, below: 1e11 },
  ms: { us: 1000, below: 1e14 },
  us: { us: 1, below: 1e17 },
  ns: { us: 1e-3, below: Infinity },
};

/** Microseconds since 1970 of a written time, or why it is none. */
function timeOf(written: unknown, unit: TimeUnit): number | string {
  const is_count = typeof written === "string" && /^\d{9,19}(\.\d+)?$/.test(written);
  if (typeof written === "string" && !is_count) {
    const us = instantOf(written);
    if (!Number.isNaN(us)) return us;
    if (!Number.isNaN(instantOf(asUtc(written)))) {
      return "has a time without an offset: Z or +02:00";
    }
  }
  const count = typeof written === "number" || is_count ? Number(written) : NaN;
  const { us } = unit === "auto"
    ? Object.values(units).find(({ below }) => count < below) ?? units.ns
    : units[unit];
  const ts_us = Math.round(count * us);
  if (ts_us >= earliest_us && ts_us <= latest_us) return ts_us;
  return "has a time that is neither ISO 8601 with an offset nor a number since 1970";
}
