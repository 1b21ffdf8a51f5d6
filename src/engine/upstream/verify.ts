// Compares a gateway's rows with its centre's, by tag and hour, and lets what differs wait again.
import * as z from "zod";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import type { Project, Tag } from "../../model/plant/plant.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import type { StampSpan, StampSpans } from "../../model/upstream/span.ts";
import {
  detailOf,
  jsonIn,
  strange_centre,
  upstream_lanes,
  type UpstreamLane,
  waitReason,
} from "../../model/upstream/upstream.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import {
  digest_names,
  type DigestName,
  type HourDigest,
  readDigests,
} from "../../store/upstream/digest.ts";
import { type Catalog, day_us } from "../catalog/catalog.ts";
import { kindOfLane } from "./body.ts";
import type { Line } from "./line.ts";

/** Which digests a centre is asked for: of a day, by the names of tags. */
export const digest_form = z.strictObject({
  digest: z.string().describe(`A kind of digests: ${digest_names.join(", ")}.`),
  lane: z.enum(upstream_lanes),
  day: z.int().min(0).max(100_000).describe("Days since 1970 (UTC)."),
  tags: z.array(z.string().max(limits.tag_length)).max(upstream_limits.digest_tags),
});
type DigestQuestion = z.infer<typeof digest_form>;

/** Digests by the place of a tag in the question: hour of the day, rows, digest. */
export const digests_form = z.strictObject({
  digest: z.string(),
  hours: z.array(z.tuple([z.int(), z.int().min(0).max(23), z.int(), z.string()])).describe(
    "Place of the tag in the question, hour of the day, rows, digest; none for no rows.",
  ),
});

/** What a comparison of a day came to, in hours of tags and their rows. */
export type DayComparison = {
  /** Hours of tags that were compared, and how many rows they have here. */
  readonly hours: number;
  readonly rows: number;
  /** Of those, hours that differ, and how many rows wait now to be sent again. */
  readonly differing: number;
  readonly sent_again: number;
  /** Hours with rows that were not forwarded yet, or that the centre does not take. */
  readonly waiting: number;
  readonly set_aside: number;
  /** Hours of which the centre has more rows than this side: others send there, too. */
  readonly more: number;
};

/** Of a project without a row. */
export const nothing_compared: DayComparison = {
  ...{ hours: 0, rows: 0, differing: 0, sent_again: 0, waiting: 0, set_aside: 0, more: 0 },
};

type Parts = { readonly database: Database; readonly catalog: Catalog };

/** The digests of a project's rows, as a gateway asks for them. Throws a `Fault` (conflict). */
export async function answerDigests(
  { database, catalog }: Parts,
  { project_no }: Pick<Project, "project_no">,
  question: DigestQuestion,
): Promise<z.infer<typeof digests_form>> {
  const name = digest_names.find((known) => known === question.digest);
  if (name === undefined) {
    throw new Fault(
      "conflict",
      `this service makes digests ${digest_names.join(", ")}, not ${question.digest}: ` +
        "install the same version on both sides",
    );
  }
  const lane = question.lane === "model" ? "model" : "signal";
  const places = new Map(question.tags.flatMap((name, place) => {
    const tag = catalog.findTag(project_no, lane, name);
    return tag === undefined ? [] : [[tag.tag_no, place] as const];
  }));
  const found = await database.read((connection) =>
    digestsOf(connection, { ...question, name, tag_nos: [...places.keys()] })
  );
  return {
    digest: name,
    hours: found.map((
      { tag_no, hour, rows, digest },
    ) => [places.get(tag_no)!, hour % 24, rows, digest]),
  };
}

async function digestsOf(
  connection: Connection,
  { lane, day, name, tag_nos }: Pick<DigestQuestion, "lane" | "day"> & {
    readonly name: DigestName;
    readonly tag_nos: readonly number[];
  },
): Promise<readonly HourDigest[]> {
  if (tag_nos.length === 0) return [];
  const range = { from_us: day * day_us, to_us: (day + 1) * day_us };
  return await readDigests(connection, { kind: kindOfLane(lane), name, tag_nos, ...range });
}

/** What is compared: a day of a project, whose id the centre calls `centre_id`. */
type Comparing = {
  readonly line: Line;
  readonly project: Project;
  readonly centre_id: string;
  readonly day: number;
  readonly spans: StampSpans;
  /** Numbers of tags of which the centre does not take some rows. */
  readonly aside: ReadonlySet<number>;
  readonly signal: AbortSignal;
};

/**
 * Compares a day, and gives the stamps of what differs: it is to be sent again. Throws a `Fault`
 * (unavailable) where the centre does not answer.
 */
export async function compareDay(
  parts: Parts,
  comparing: Comparing,
): Promise<DayComparison & { readonly put_back: readonly StampSpan[] }> {
  const { project: { project_no } } = comparing;
  const sum = { ...nothing_compared };
  const put_back: StampSpan[] = [];
  for (const lane of upstream_lanes) {
    const tags = parts.catalog.tags.filter((tag) =>
      tag.project_no === project_no && tag.lane === (lane === "model" ? "model" : "signal") &&
      tag.derived === null
    );
    for (let from = 0; from < tags.length; from += upstream_limits.digest_tags) {
      const some = tags.slice(from, from + upstream_limits.digest_tags);
      const { here, there } = await bothOf(parts, comparing, { lane, tags: some });
      for (const hour of here) {
        const verdict = judge(hour, there.get(hourKey(hour)), comparing);
        sum.hours++;
        sum.rows += hour.rows;
        if (verdict === "same") continue;
        sum[verdict]++;
        if (verdict !== "differing") continue;
        sum.sent_again += hour.rows;
        put_back.push({ from_us: hour.first_us, to_us: hour.last_us + 1 });
      }
    }
  }
  return { ...sum, put_back };
}

type SomeTags = { readonly lane: UpstreamLane; readonly tags: readonly Tag[] };

/** Both sides' digests of some tags: of the best kind that an older centre makes, too. */
async function bothOf(
  { database }: Parts,
  comparing: Comparing,
  { lane, tags }: SomeTags,
): Promise<{ readonly here: readonly HourDigest[]; readonly there: OtherHours }> {
  const tag_nos = tags.map(({ tag_no }) => tag_no);
  for (const name of digest_names) {
    const here = await database.aside((connection) =>
      digestsOf(connection, { ...comparing, lane, name, tag_nos })
    );
    if (here.length === 0) break;
    const there = await askDigests(comparing, { lane, name, tags: tagsIn(tags, here) });
    if (there !== undefined) return { here, there };
  }
  return { here: [], there: new Map() };
}

function tagsIn(tags: readonly Tag[], hours: readonly HourDigest[]): readonly Tag[] {
  const found = new Set(hours.map(({ tag_no }) => tag_no));
  return tags.filter(({ tag_no }) => found.has(tag_no));
}

type OtherHour = { readonly rows: number; readonly digest: string };
type OtherHours = ReadonlyMap<string, OtherHour>;

function judge(
  { tag_no, rows, digest, first_us, last_us }: HourDigest,
  there: OtherHour | undefined,
  { spans, aside }: Pick<Comparing, "spans" | "aside">,
): "same" | "waiting" | "set_aside" | "more" | "differing" {
  if (there?.rows === rows && there.digest === digest) return "same";
  if (spans.some(({ from_us, to_us }) => from_us <= last_us && first_us < to_us)) return "waiting";
  if (there && there.rows > rows) return "more";
  return aside.has(tag_no) ? "set_aside" : "differing";
}

const hourKey = ({ tag_no, hour }: Pick<HourDigest, "tag_no" | "hour">) => `${tag_no} ${hour % 24}`;

/** What the centre has; undefined where it is older and does not make such digests. */
async function askDigests(
  { line, centre_id, day, signal }: Comparing,
  { lane, name, tags }: SomeTags & { readonly name: DigestName },
): Promise<OtherHours | undefined> {
  const question: DigestQuestion = {
    ...{ digest: name, lane, day },
    tags: tags.map(({ sensor_tag }) => sensor_tag),
  };
  const { status, text } = await line.ask({
    path: "/ingest/v1/digests",
    search: { project_id: centre_id },
    body: new TextEncoder().encode(JSON.stringify(question)),
    media_type: "application/json",
  }, signal);
  if (status === 409 && name !== digest_names.at(-1)) return undefined;
  if (status !== 200) throw new Fault("unavailable", waitReason(status, detailOf(text)));
  const said = digests_form.safeParse(jsonIn(text)).data;
  if (said === undefined) throw new Fault("unavailable", strange_centre);
  const { hours } = said;
  return new Map(hours.map(([place, hour, rows, digest]) => [
    hourKey({ tag_no: tags[place]?.tag_no ?? -1, hour }),
    { rows, digest },
  ]));
}
