// Every watched tag by its number; computed again whenever rules or where they watch change.
import { rule_limits } from "../../model/rules/limits.ts";
import { definitionOf } from "../../model/rules/kinds.ts";
import type { Watchpoint } from "../../model/rules/rule.ts";
import { atRest, type Machine } from "../../model/rules/state_machine.ts";
import { reachBack } from "../../model/rules/span.ts";
import type { Connection } from "../../store/connection.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { newestSample } from "../../store/samples/sample.ts";
import {
  newestSamples,
  readSpans,
  readStates,
  type SeenSample,
  type StateRow,
  type TagSpan,
} from "../../store/rules/state.ts";
import { slotOf, type TagState, WatchedPoint, WatchedTag } from "./point.ts";

/** Look-ups over watched tags. */
export class WatchIndex {
  readonly tags: readonly WatchedTag[];
  /** By number of a tag, its place in `tags` counted from 1; 0 where nothing watches it. */
  readonly #places: Int32Array;

  constructor(tags: readonly WatchedTag[]) {
    this.tags = tags;
    const last_no = tags.reduce((most, { tag_no }) => Math.max(most, tag_no), 0);
    this.#places = new Int32Array(last_no + 1);
    tags.forEach(({ tag_no }, i) => this.#places[tag_no] = i + 1);
  }

  /** Every rule on every tag. */
  get points(): readonly WatchedPoint[] {
    return this.tags.flatMap(({ points }) => points);
  }

  has(tag_no: number): boolean {
    return tag_no < this.#places.length && this.#places[tag_no] > 0;
  }

  get(tag_no: number): WatchedTag | undefined {
    return this.has(tag_no) ? this.tags[this.#places[tag_no] - 1] : undefined;
  }

  /** A rule on a tag, whatever its version; of another kind it is another one. */
  point(place: Pick<Watchpoint, "rule" | "tag_no">): WatchedPoint | undefined {
    const point = this.place(place);
    return point?.kind === place.rule.condition.kind ? point : undefined;
  }

  /** A rule on a tag, of whatever kind. */
  place(
    { rule: { rule_no }, tag_no }: Pick<Watchpoint, "rule" | "tag_no">,
  ): WatchedPoint | undefined {
    return this.get(tag_no)?.points.find(({ watchpoint }) => watchpoint.rule.rule_no === rule_no);
  }
}

/** What an index is made from: the one before, where rules watch now, and what is stored. */
export type IndexSource = {
  readonly before: WatchIndex;
  readonly watchpoints: readonly Watchpoint[];
  /** Tags that the open write takes up, so that nothing of them was judged. */
  readonly begun?: ReadonlySet<number>;
  readonly now_us: number;
};

/**
 * The index for `watchpoints`. A rule that watched a tag before goes on where it stands, under its
 * new version's limits; what watches again goes on where it stood when it last did.
 */
export async function makeIndex(
  connection: Connection,
  { before, watchpoints, begun = new Set(), now_us }: IndexSource,
): Promise<WatchIndex> {
  const by_tag = Map.groupBy(watchpoints, ({ tag_no }) => tag_no);
  const unknown = [...by_tag.keys()].filter((tag_no) => !before.get(tag_no) && !begun.has(tag_no));
  const newest = await findNewest(connection, unknown, now_us);
  const news = watchpoints.filter((it) => before.point(it) === undefined);
  const states = news.length > 0 ? await readStates(connection) : [];
  const state_of = Map.groupBy(states, placeKey);
  const tags = [...by_tag].map(([tag_no, watched]) => {
    const tag = before.get(tag_no) ?? newest.get(tag_no) ??
      { tag_no, head_us: -Infinity, valued_us: -Infinity };
    return new WatchedTag(
      tag,
      watched.map((watchpoint) => {
        const known = before.point(watchpoint);
        if (known) return goOn(known, watchpoint);
        // Where a rule of another kind stood says nothing of this one.
        const rows = before.place(watchpoint)
          ? []
          : state_of.get(placeKey({ ...watchpoint.rule, tag_no }));
        return takeUp(watchpoint, rows ?? [], now_us);
      }),
    );
  });
  await lookBack(connection, tags.filter(({ tag_no }) => !begun.has(tag_no)), before);
  return new WatchIndex(tags);
}

/** A known point under another version of its rule. */
function goOn(known: WatchedPoint, watchpoint: Watchpoint): WatchedPoint {
  const { begun_us, occurrences, span, last } = known;
  const machine: Machine = { ...known.machine, watchpoint };
  const same = spanOf(known.watchpoint) === spanOf(watchpoint);
  return new WatchedPoint({ machine, occurrences, begun_us }, {
    last,
    span: same ? span : undefined,
  });
}

/** Where a rule stands on a tag by its stored rows; at rest from now on where there are none. */
function takeUp(watchpoint: Watchpoint, rows: readonly StateRow[], now_us: number): WatchedPoint {
  const occurrences = new Map(
    rows.flatMap(({ subject, occurrence_no }) =>
      occurrence_no === null ? [] : [[subject, occurrence_no] as const]
    ),
  );
  const turned_us = rows.reduce(
    (last, row) => Math.max(last, row.turned_us ?? -Infinity),
    -Infinity,
  );
  const stands = rows.find(({ phase }) => phase !== "quiet");
  const machine = stands
    ? machineOf(watchpoint, { ...stands, since_us: notAhead(stands.since_us ?? -Infinity, now_us) })
    : atRest(watchpoint, notAhead(turned_us, now_us));
  // It may have been stored by a clock that was ahead: nothing began later than now.
  const since_us = rows.find(({ phase }) => phase === "quiet")?.since_us ?? now_us;
  const begun_us = Math.min(since_us, now_us);
  const last = stands ? stands.since_value : null;
  return new WatchedPoint({ machine, occurrences, begun_us }, { last });
}

/** An instant that samples can have now; one that a clock stored that was ahead is now. */
function notAhead(at_us: number, now_us: number): number {
  return at_us > now_us + sample_limits.future_us ? now_us : at_us;
}

function machineOf(watchpoint: Watchpoint, row: StateRow): Machine {
  const { phase, subject, since_value, source_us, peak_value, peak_at } = row;
  return {
    ...{ watchpoint, phase, subject, since_value, source_us, peak_value, peak_at },
    since_us: row.since_us ?? -Infinity,
    bits: BigInt(row.bits),
    turned_us: row.turned_us ?? -Infinity,
  };
}

/** A point's place in `rule_state`. */
export function placeOf({ watchpoint: { rule, tag_no } }: WatchedPoint) {
  return { rule_no: rule.rule_no, tag_no };
}

/** The rows that say where a point stands, as the open write would have it. */
export function stateRows(
  { next, next_occurrences, begun_us, watchpoint, trigger }: WatchedPoint,
): StateRow[] {
  const { rule: { rule_no }, tag_no } = watchpoint;
  const subjects = new Set(next_occurrences.keys());
  const quiet = next.phase === "quiet";
  if (!quiet) subjects.add(next.subject);
  else if (subjects.size === 0 && trigger === "silence") subjects.add(0);
  return Array.from(subjects, (subject): StateRow => {
    const stands = !quiet && subject === next.subject;
    const { phase, since_us, since_value, source_us, peak_value, peak_at, bits } = stands
      ? next
      : { ...atRest(watchpoint), since_us: begun_us };
    return {
      ...{ rule_no, tag_no, subject, phase, since_us, since_value },
      ...{ source_us, peak_value, peak_at, bits: String(bits) },
      turned_us: Number.isFinite(next.turned_us) ? next.turned_us : null,
      occurrence_no: next_occurrences.get(subject) ?? null,
    };
  });
}

/** How far back the newest samples of tags are looked for, one after the other; microseconds. */
const looks_us = [600e6, 2 * 3_600e6, 86_400e6, rule_limits.watch_back_us];

/** The newest samples of tags: the few that were silent are looked for further and further back. */
async function findNewest(
  connection: Connection,
  tag_nos: readonly number[],
  now_us: number,
): Promise<ReadonlyMap<number, TagState>> {
  const found = new Map<number, TagState>();
  if (tag_nos.length === 0) return found;
  const last_us = Math.min(now_us, await newestSample(connection) ?? -Infinity);
  let missing = tag_nos;
  // What is later was stored by a clock that was ahead, and is no tag's newest yet.
  let to_us = now_us + sample_limits.future_us;
  for (const look_us of looks_us) {
    const from_us = Math.max(last_us - look_us, now_us - rule_limits.watch_back_us);
    if (from_us >= to_us || !Number.isFinite(from_us)) break;
    for (const row of await newestSamples(connection, missing, { from_us, to_us })) {
      const { tag_no, head_us, valued_us } = row;
      const newer = found.get(tag_no);
      found.set(tag_no, {
        tag_no,
        head_us: newer?.head_us ?? head_us,
        valued_us: valued_us ?? -Infinity,
      });
    }
    missing = missing.filter((tag_no) => !((found.get(tag_no)?.valued_us ?? -Infinity) > 0));
    if (missing.length === 0) break;
    to_us = from_us;
  }
  return found;
}

/** Brings new points up to their tags' newest samples: what rates are counted from, and peaks. */
async function lookBack(
  connection: Connection,
  tags: readonly WatchedTag[],
  before: WatchIndex,
): Promise<void> {
  const looks = tags.flatMap((tag): TagLook[] => {
    const points = tag.points.map((point) => lookOf(point, tag, before.point(point.watchpoint)));
    const from_us = Math.min(...points.map((point) => point.from_us));
    return tag.head_us > -Infinity && from_us <= tag.head_us
      ? [{ tag_no: tag.tag_no, from_us, to_us: tag.head_us + 1, points }]
      : [];
  });
  const by_tag = new Map(looks.map((look) => [look.tag_no, look.points]));
  for await (const sample of readSpans(connection, looks)) {
    for (const look of by_tag.get(sample.tag_no)!) retrace(look, sample);
  }
  for (const { points } of looks) for (const { point } of points) point.commit();
}

/** From when on a point looks at samples, and from when on these may raise its peak. */
type Look = { readonly point: WatchedPoint; readonly from_us: number; readonly peak_us: number };
type TagLook = TagSpan & { readonly points: readonly Look[] };

function lookOf(point: WatchedPoint, { head_us }: TagState, known: WatchedPoint | undefined): Look {
  const { phase, since_us } = point.machine;
  const stands = phase === "rising" || phase === "active";
  const peak_us = stands && !known && point.trigger === "samples"
    ? Math.max(since_us + 1, slotOf(head_us) * rule_limits.watch_slot_us)
    : Infinity;
  const over_us = spanOf(point.watchpoint);
  const span_us = over_us > 0 && known?.span !== point.span
    ? head_us - reachBack(over_us)
    : Infinity;
  return { point, peak_us, from_us: Math.min(span_us, peak_us) };
}

/** Where a machine stands was stored with its samples: these only add to its peak. */
function retrace({ point, from_us, peak_us }: Look, sample: SeenSample): void {
  if (sample.ts_us < from_us) return;
  const { next } = point;
  point.see(sample, []);
  const { phase, peak_value, peak_at } = point.next;
  const adds = sample.ts_us >= peak_us && phase === next.phase;
  point.next = adds ? { ...next, peak_value, peak_at } : next;
}

function spanOf({ rule: { condition } }: Watchpoint): number {
  return definitionOf(condition).needs.spanUs(condition);
}

function placeKey(place: { readonly rule_no: number; readonly tag_no: number }): string {
  return `${place.rule_no} ${place.tag_no}`;
}
