// What a centre's answer to a body means, in words for a person; what is kept of rows set aside.
import * as z from "zod";
import { oneOf, type PlainRow } from "../data/row.ts";
import type { IngestAnswer } from "../samples/sample.ts";
import { upstream_limits } from "./limits.ts";

/** The lanes of the centre's ingest, each with bodies of its own. */
export const upstream_lanes = ["signal", "model", "forecast"] as const;
export type UpstreamLane = typeof upstream_lanes[number];

/** The number of the centre among all destinations. */
export const centre_no = 0;

/** Rows of a tag that the centre does not take: how many, of when, stored when, and why. */
export const set_aside_table = {
  tag_no: "int32",
  lane: oneOf(upstream_lanes),
  rows: "int64",
  first_ts: "instant",
  last_ts: "instant",
  /** Stamps of storing, [from_us, to_us), within which they were stored. */
  from_us: "instant",
  to_us: "instant",
  /** What the centre says of the last of them. */
  reason: "text",
  changed_at: "instant",
  destination_no: "int32",
} as const;
export type SetAside = PlainRow<typeof set_aside_table>;

/**
 * What people want to be sent again, by when they did: rows of a tag by their times, from the first
 * to the last; without a tag, stamps of storing, [from_us, to_us), that wait for such rows alone.
 */
export const asked_again_table = {
  destination_no: "int32",
  asked_at: "instant",
  tag_no: "int32?",
  from_us: "instant",
  to_us: "instant",
} as const;
export type AskedAgainRow = PlainRow<typeof asked_again_table>;

/** What was sent on a day (UTC, since 1970): compressed bytes, with those that came to nothing. */
export const upstream_day_table = {
  day: "int32",
  bytes: "int64",
  rows: "int64",
  destination_no: "int32",
} as const;
export type UpstreamDay = PlainRow<typeof upstream_day_table>;

/** What retention drops that a gateway forwards. */
export const forwarded_kinds = ["samples", "forecasts"] as const;
export type ForwardedKind = typeof forwarded_kinds[number];

/** Rows of a day (UTC, since 1970) that were dropped before they were forwarded. */
export const upstream_lost_table = {
  project_no: "int32",
  kept: oneOf(forwarded_kinds),
  day: "int32",
  rows: "int64",
  lost_at: "instant",
  destination_no: "int32",
} as const;
export type UpstreamLost = PlainRow<typeof upstream_lost_table>;

/** Both counts of one tag's rows together: the later reason stays. */
export function sumOfAside(a: SetAside, b: SetAside): SetAside {
  return {
    ...b,
    rows: a.rows + b.rows,
    first_ts: Math.min(a.first_ts, b.first_ts),
    last_ts: Math.max(a.last_ts, b.last_ts),
    from_us: Math.min(a.from_us, b.from_us),
    to_us: Math.max(a.to_us, b.to_us),
  };
}

/** What came back for a body, or why nothing did. */
export type CentreAnswer = {
  /** Null where no head of an answer came. */
  readonly status: number | null;
  /** The header `Retry-After`, as it came. */
  readonly retry_after: string | null;
  /** The first bytes of the answer as text, or the reason why there is none. */
  readonly text: string;
};

/** What to do with a body after its answer. */
export type CentreVerdict =
  /** Every row is on the centre's disk, but for those that it rejects. */
  | { readonly kind: "taken"; readonly answer: IngestAnswer }
  /** Some row spoils all of it: send parts. */
  | { readonly kind: "split"; readonly reason: string }
  /** Send it again later; the words say what is wrong and what to do. */
  | { readonly kind: "wait"; readonly reason: string; readonly retry_after_ms: number | null };

const answer_form = z.object({
  accepted: z.int().nonnegative(),
  duplicates: z.int().nonnegative(),
  rejected_count: z.int().nonnegative(),
  rejected: z.array(
    z.object({ line: z.int().positive(), tag: z.string().nullable(), reason: z.string() }),
  ),
});

/** What an answer to a body of `rows` rows means. */
export function verdictOf(
  { status, retry_after, text }: CentreAnswer,
  { rows, now_us }: { readonly rows: number; readonly now_us: number },
): CentreVerdict {
  if (status === 200) {
    const answer = answer_form.safeParse(jsonIn(text)).data;
    const count = answer && answer.accepted + answer.duplicates + answer.rejected_count;
    const fits = count === rows && answer?.rejected.every(({ line }) => line <= rows);
    if (answer && fits) return { kind: "taken", answer };
    return waiting("the centre's answer is none of Wattkeeper's: " + lookAtUrl);
  }
  const detail = detailOf(text);
  if (status === 400 || status === 413 || status === 422) return { kind: "split", reason: detail };
  const retry_after_ms = retryAfterMs(retry_after, now_us);
  return waiting(waitReason(status, detail), retry_after_ms);
}

/** What is wrong, and what helps, where a centre can't take anything now. */
export function waitReason(status: number | null, detail: string): string {
  if (status === null) return `the centre does not answer: ${detail}`;
  const help = status_help[status];
  const said = detail === "" ? "" : `: ${detail}`;
  return `the centre answered ${status}${said}${help === undefined ? "" : `. ${help}`}`;
}

const lookAtUrl = "look at upstream_url, and at proxies on the way";

const status_help: Readonly<Record<number, string>> = {
  401: "Set upstream_token to a token of the centre: there, `wattkeeper token create --scope " +
    "ingest --project KEY` makes one",
  403: "The token needs the scope ingest and the project: make another one at the centre",
  404: "Look at upstream_url: it is the centre's address without a path, such as " +
    "https://centre.example. A centre of an older version takes no gateways",
};

function waiting(reason: string, retry_after_ms: number | null = null): CentreVerdict {
  return { kind: "wait", reason, retry_after_ms };
}

/** How long a `Retry-After` (seconds or a date) asks to wait; null where it says nothing. */
export function retryAfterMs(text: string | null, now_us: number): number | null {
  if (text === null) return null;
  const wait_ms = /^\s*\d+\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now_us / 1000;
  if (Number.isNaN(wait_ms)) return null;
  return Math.min(Math.max(0, wait_ms), upstream_limits.retry_after_ms);
}

/** So much is said of what a centre says. */
const detail_length = 500;

/** What is wrong where an answer is no centre's. */
export const strange_centre = "the answer is none of Wattkeeper's: look at upstream_url, and at " +
  "proxies on the way";

/** What a problem document says, or the beginning of another text. */
export function detailOf(text: string): string {
  const problem = problem_form.safeParse(jsonIn(text)).data;
  if (problem === undefined) return text.replaceAll(/\s+/g, " ").trim().slice(0, detail_length);
  const flaws = (problem.errors ?? []).slice(0, 3).map(({ path, message }) => `${path} ${message}`);
  return [problem.detail, ...flaws.filter((flaw) => !problem.detail.includes(flaw))].join("; ")
    .slice(0, detail_length);
}

const problem_form = z.object({
  detail: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** JSON as plain data; undefined for what is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * How long to wait before try number `tries` (from 1), in milliseconds: twice as long each time,
 * of which up to a half is left to chance (`share`, 0 to 1), and as long as the centre asks for.
 */
export function retryWaitMs(
  tries: number,
  { share, retry_after_ms }: { readonly share: number; readonly retry_after_ms: number | null },
): number {
  const grown_ms = upstream_limits.retry_ms * 2 ** Math.min(tries, 30);
  const wait_ms = Math.min(grown_ms, upstream_limits.retry_most_ms);
  return Math.max(wait_ms * (1 - share / 2), (retry_after_ms ?? 0) * (1 + share / 10));
}

/** What went over the line, and how long it took. */
type Went = { readonly sent: number; readonly took_ms: number };

/** How many rows the next body has, after one of so many took so long on the line. */
export function nextBodyRows(rows: number, went: Went): number {
  const { body_rows: most, body_rows_least: least } = upstream_limits;
  return nextSize(rows, went, { least, most });
}

/** How many bytes the next part of a photo has, likewise. */
export function nextPartBytes(bytes: number, went: Went): number {
  const { photo_part: most, photo_part_least: least } = upstream_limits;
  return nextSize(bytes, went, { least, most });
}

function nextSize(
  size: number,
  { sent, took_ms }: Went,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  const { body_ms } = upstream_limits;
  const fitting = sent * body_ms / Math.max(1, took_ms);
  // A small body says nothing of how fast a large one goes.
  const wanted = took_ms > body_ms || 2 * sent >= size ? fitting : size;
  const next = Math.min(Math.max(wanted, size / 2), size * 2);
  return Math.round(Math.min(Math.max(next, least), most));
}
