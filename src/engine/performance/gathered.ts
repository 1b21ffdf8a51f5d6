// Performance of projects in several shards of a fleet: their cells, put together here.
import type { Answer } from "../../model/data/chunk.ts";
import { answer_limits } from "../../model/data/limits.ts";
import { measures } from "../../model/plant/measure.ts";
import type { Sensor } from "../../model/plant/plant.ts";
import type { DayRange, Positions } from "../../model/time/bucket.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { askAll, markOf, type PartAnswer, type PartSource, unheard } from "../core/gather.ts";
import { compareGroups, type Group, type PerformanceRequest } from "./group.ts";
import type { PerformanceQuestion, ToldGroup } from "./part.ts";
import { performanceFrom } from "./performance.ts";
import type { AnswerPlan } from "./reading.ts";
import { SlabSums } from "./slab_sums.ts";

const none = new Int32Array();

/** The groups of several shards in their order, and where those of each shard are among them. */
export type MergedGroups = {
  readonly groups: readonly Group[];
  /** For each shard the place of each of its groups. */
  readonly places: readonly Int32Array[];
};

/** As `performanceAnswer`, of projects whose sensors are in several shards. */
export async function gatheredPerformance(
  { catalog }: { readonly catalog: Catalog },
  request: PerformanceRequest,
  { gather, signal }: { readonly gather: PartSource; readonly signal: AbortSignal },
): Promise<Answer> {
  const ask = (question: PerformanceQuestion) => question;
  const { range } = request;
  const told = await askAll<readonly ToldGroup[]>(gather, ask({ want: "groups", range }), signal);
  const { groups, places } = mergeGroups(catalog, told);
  const marks = told.map(markOf);
  const sensors = groups.flatMap((group) => group.sensors);
  const by_no = new Map(request.projects.map((project) => [project.project_no, project]));
  const numbers = [...new Set(sensors.map(({ project_no }) => project_no))].sort((a, b) => a - b);
  const timezones = [...new Set(numbers.map((no) => by_no.get(no)!.timezone))];
  return await performanceFrom(request, {
    catalog,
    selection: {
      ...{ measure: measures.get(request.measure)!, sensors, groups },
      group_of: new Int32Array(),
      zones: timezones.map((timezone) => ({ timezone, sensor_nos: none, tag_nos: none })),
    },
    findDays: async (range) => {
      const found = await askAll<DayRange | null>(gather, ask({ want: "days", range }), signal);
      const days = found.filter((it) => it !== null);
      return days.length === 0 ? undefined : {
        from_day: Math.min(...days.map(({ from_day }) => from_day)),
        to_day: Math.max(...days.map(({ to_day }) => to_day)),
      };
    },
    // Each shard looks itself, before it reads.
    requireRead: () => {},
    slabsOf(plan, room) {
      const { request: { range, statistics }, is_single } = plan;
      const until_us = statistics?.until_us;
      const cells = { want: "cells", range, timezones, is_single, until_us } as const;
      const width = groups.length;
      const isAlone = (cell: number) => groups[cell % width].sensors.length === 1;
      const turns: SlabSums[] = [];
      let turn = 0;
      return async (positions) => {
        const sums = turns[turn = 1 - turn] ??= SlabSums.of(plan, room * width);
        sums.clear((positions.to - positions.from) * width);
        for (const piece of piecesOf(plan, positions)) {
          const answers: readonly PartAnswer[] = await Promise.all(
            places.map((of_shard, i) => {
              const question = ask({ ...cells, ...piece, groups: marks[i] });
              return of_shard.length === 0 ? {} : gather.ask(i, question, signal);
            }),
          );
          answers.forEach(({ numbers }, shard) => {
            const from = positions.from;
            const targets = cellsIn(piece, { of_shard: places[shard], width, from });
            if (numbers) sums.take(numbers, targets, isAlone);
          });
        }
        return { positions, values: sums.finish() };
      };
    },
  });
}

/** Puts the groups of several shards in their order; those with the same key are one. */
export function mergeGroups(
  catalog: Catalog,
  told: readonly (readonly ToldGroup[])[],
): MergedGroups {
  const sites = new Map(catalog.sites.map((site) => [site.id, site]));
  const keyOf = ({ project_id, svc_block_id, hierarchy_id }: ToldGroup) =>
    JSON.stringify([project_id, svc_block_id, hierarchy_id]);
  const by_key = Map.groupBy(told.flat(), keyOf);
  const keyed = Array.from(by_key, ([key, parts]) => {
    const [{ sites: _, ...words }] = parts;
    const portfolio = parts.every((it) => it.portfolio === words.portfolio)
      ? words.portfolio
      : null;
    // Of sensors elsewhere no more is known here than where they are, and how many.
    const sensors = parts.flatMap((part) =>
      part.sites.flatMap(([id, count]) => {
        const site = sites.get(id);
        if (site === undefined) throw unheard("a site of these projects");
        const { site_no, project_no } = site;
        return Array<Sensor>(count).fill({ site_no, project_no } as Sensor);
      })
    );
    return { key, group: { ...words, portfolio, sensors } };
  }).toSorted((a, b) => compareGroups(a.group, b.group));
  const place_of = new Map(keyed.map(({ key }, place) => [key, place]));
  return {
    groups: keyed.map(({ group }) => group),
    places: told.map((groups) => Int32Array.from(groups, (it) => place_of.get(keyOf(it))!)),
  };
}

/**
 * The positions of a slab that are asked for one after the other: cells of several sensors are told
 * as many numbers each.
 */
function* piecesOf({ is_single, selection }: AnswerPlan, { from, to }: Positions) {
  const { cells_of_first_slab, cells_per_slab } = answer_limits;
  const cells = is_single ? cells_per_slab : cells_of_first_slab;
  const step = Math.max(1, Math.floor(cells / Math.max(1, selection.groups.length)));
  for (let at = from; at < to; at += step) yield { from: at, to: Math.min(to, at + step) };
}

/** The places of a shard's cells at some positions, in a slab that begins at `from`. */
export function cellsIn(
  piece: Positions,
  { of_shard, width, from = piece.from }: {
    readonly of_shard: Int32Array;
    readonly width: number;
    readonly from?: number;
  },
): Int32Array {
  const cells = new Int32Array((piece.to - piece.from) * of_shard.length);
  for (let row = piece.from - from, at = 0; row < piece.to - from; row++) {
    for (const place of of_shard) cells[at++] = row * width + place;
  }
  return cells;
}
