// Values at given instants: a page of one row a line and instant, between the samples around it.
import { assert } from "../../base/assert.ts";
import {
  type Chunk,
  finiteVector,
  isValid,
  noneValid,
  setValid,
  type Vector,
  wordAt,
  wordsOf,
} from "../../model/data/chunk.ts";
import { row_resolutions } from "../../model/samples/signal.ts";
import {
  interpolate,
  type Interpolated,
  interpolated_status,
  type Neighbour,
} from "../../model/statistics/interpolation.ts";
import { statistics_limits } from "../../model/statistics/limits.ts";
import type { Connection } from "../../store/connection.ts";
import { instant_page, readInstants } from "../../store/samples/series.ts";
import type { SignalPage, SignalPart } from "../../store/samples/page.ts";
import { holdOf, longestReach } from "../samples/series.ts";
import type { SignalLine } from "./row.ts";

/** Rising instants: so many, and the i-th of them in microseconds. */
export type InstantGrid = { readonly count: number; readonly instantAt: (i: number) => number };

/** Which of the rows, and what the clock says. */
type InstantAsked = {
  readonly instants: InstantGrid;
  readonly limit: number;
  readonly offset: number;
  readonly now_us: number;
};

const day_us = 86_400_000_000;

/** A page of every part, by instant, then line. */
export async function instantPage(
  connection: Connection,
  lines: readonly SignalLine[],
  { instants, limit, offset, now_us }: InstantAsked,
): Promise<SignalPage> {
  const end = Math.min(offset + limit, instants.count * lines.length);
  const rows = new InstantRows(Math.max(0, end - offset), now_us);
  const reach_us = longestReach(lines.map(({ tag }) => tag));
  const most_us = statistics_limits.days_per_read * day_us / lines.length;
  for (let i = Math.floor(offset / lines.length); i * lines.length < end;) {
    const group = [instants.instantAt(i)];
    for (let next = i + 1; next * lines.length < end; next++) {
      const instant = instants.instantAt(next);
      if (instant - group[0] > most_us) break;
      group.push(instant);
    }
    const around = await readInstants(connection, {
      lines: Int32Array.from(lines, ({ tag }) => tag.tag_no),
      instants: group,
      from_us: Math.max(0, group[0] - reach_us),
      to_us: group[group.length - 1] + reach_us + 1,
    });
    const first = i * lines.length - offset;
    for (let row = Math.max(0, -first); row < around.rows; row++) {
      if (first + row >= rows.count) break;
      rows.put(first + row, surroundingsAt(around, row), lines);
    }
    i += group.length;
  }
  return rows.finish();
}

/** One row of `instant_page`. */
type Around = {
  readonly line: number;
  readonly at_us: number;
  readonly before: Neighbour | undefined;
  readonly after: Neighbour | undefined;
  readonly bad_us: number | undefined;
  readonly stepped: boolean;
  /** What the sample before holds, as it was sent. */
  readonly value_int: bigint | undefined;
  readonly value_str: string | undefined;
  readonly quality: number | undefined;
  readonly status_code: number | undefined;
  readonly received: { readonly before_us: number; readonly after_us: number };
};

function surroundingsAt({ vectors }: Chunk, row: number): Around {
  const number = (name: keyof typeof instant_page) => numberAt(vectors[instant_page[name]], row);
  const neighbour = (side: "before" | "after"): Neighbour | undefined => {
    const ts_us = number(`${side}_ts`);
    if (ts_us === undefined) return undefined;
    const value = number(`${side}_value`) ?? NaN;
    return { ts_us, value, uncertain: number(`${side}_quality`) === 1 };
  };
  const isNumber = (side: "before" | "after") =>
    number(`${side}_ts`) === undefined ? undefined : number(`${side}_value`) !== undefined;
  const ints = vectors[instant_page.before_int];
  const texts = vectors[instant_page.before_str];
  assert(ints.kind === "int64" && texts.kind === "text", "integers and texts");
  return {
    line: number("line")!,
    at_us: number("ts")!,
    before: neighbour("before"),
    after: neighbour("after"),
    bad_us: number("bad_ts"),
    stepped: isNumber("before") === false || isNumber("after") === false,
    value_int: isValid(ints.valid, row) ? ints.values[row] : undefined,
    value_str: isValid(texts.valid, row) ? wordAt(texts.words, row) : undefined,
    quality: number("before_quality"),
    status_code: number("before_status"),
    received: {
      before_us: number("before_received") ?? 0,
      after_us: number("after_received") ?? 0,
    },
  };
}

function numberAt(vector: Vector, row: number): number | undefined {
  assert(vector.kind !== "text" && vector.kind !== "bool", "numbers and instants");
  return isValid(vector.valid, row) ? Number(vector.values[row]) : undefined;
}

/** The rows of a page, put one by one. */
class InstantRows {
  readonly count: number;
  readonly #now_us: number;
  readonly #line: Int32Array<ArrayBuffer>;
  readonly #ts: BigInt64Array<ArrayBuffer>;
  readonly #received: BigInt64Array<ArrayBuffer>;
  readonly #value: Float64Array<ArrayBuffer>;
  readonly #carried: Int32Array<ArrayBuffer>;
  readonly #ints: (bigint | undefined)[] = [];
  readonly #texts: (string | undefined)[] = [];
  readonly #qualities: (number | undefined)[] = [];
  readonly #statuses: (number | undefined)[] = [];

  constructor(count: number, now_us: number) {
    this.count = count;
    this.#now_us = now_us;
    this.#line = new Int32Array(count);
    this.#ts = new BigInt64Array(count);
    this.#received = new BigInt64Array(count);
    this.#value = new Float64Array(count).fill(NaN);
    this.#carried = new Int32Array(count);
  }

  put(row: number, around: Around, lines: readonly SignalLine[]): void {
    const { line, stepped, received } = around;
    const found = interpolate(around, { stepped, hold_us: holdOf(lines[line].tag) });
    const { source } = found;
    const is_of_before = source === "sample" || source === "held";
    const received_us = source === "line"
      ? Math.max(received.before_us, received.after_us)
      : received.before_us;
    this.#line[row] = line;
    this.#ts[row] = BigInt(around.at_us);
    this.#received[row] = BigInt(source === "none" ? this.#now_us : received_us);
    this.#value[row] = found.value;
    this.#carried[row] = Number(source === "held");
    this.#ints[row] = is_of_before ? around.value_int : undefined;
    this.#texts[row] = is_of_before ? around.value_str : undefined;
    const { quality, status_code } = source === "sample" ? around : verdictOf(found);
    this.#qualities[row] = quality;
    this.#statuses[row] = status_code;
  }

  /** All rows. */
  finish(): SignalPage {
    const { count: rows } = this;
    const ints = BigInt64Array.from(this.#ints, (value) => value ?? 0n);
    const statuses = Uint32Array.from(this.#statuses, (value) => value ?? 0);
    const none = { kind: "int32", values: new Int32Array(rows), valid: noneValid(rows) } as const;
    const parts: Record<SignalPart, Vector> = {
      line: { kind: "int32", values: this.#line },
      resolution: {
        kind: "int32",
        values: new Int32Array(rows).fill(row_resolutions.indexOf("interpolated")),
      },
      ts: { kind: "int64", values: this.#ts },
      received_at: { kind: "int64", values: this.#received },
      value: finiteVector(this.#value),
      value_int: { kind: "int64", values: ints, valid: validOf(this.#ints) },
      value_str: {
        kind: "text",
        words: wordsOf(this.#texts.map((text) => text ?? "")),
        valid: validOf(this.#texts),
      },
      quality: {
        kind: "int32",
        values: Int32Array.from(this.#qualities, (value) => value ?? 0),
        valid: validOf(this.#qualities),
      },
      status_code: { kind: "uint32", values: statuses, valid: validOf(this.#statuses) },
      carried: { kind: "int32", values: this.#carried },
      good_count: none,
      uncertain_count: none,
      bad_count: none,
    };
    return { rows, parts };
  }
}

/** Quality and status of what is no sample's own. */
function verdictOf({ source, uncertain }: Interpolated) {
  const { good, uncertain: doubtful, none } = interpolated_status;
  if (source === "none") return { quality: 2, status_code: none };
  return uncertain ? { quality: 1, status_code: doubtful } : { quality: 0, status_code: good };
}

/** Which values there are. */
function validOf(values: readonly unknown[]) {
  const valid = noneValid(values.length);
  values.forEach((value, i) => {
    if (value !== undefined) setValid(valid, i);
  });
  return valid;
}
