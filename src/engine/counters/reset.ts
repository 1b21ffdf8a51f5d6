// Declared resets of counters: checked, stored, removed, and what they change computed again.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import { counter_limits } from "../../model/counters/limits.ts";
import {
  type CounterReset,
  parseReset,
  type ReadingsAround,
  resetRefusal,
} from "../../model/counters/reset.ts";
import type { Project, Tag } from "../../model/plant/plant.ts";
import {
  countBeside,
  deleteReset,
  findReset,
  insertReset,
  readingsAround,
} from "../../store/counters/reset.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database, Write } from "../../store/database.ts";
import { instantOf } from "../../wire/bytes/instant.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Rollup } from "../rollup/rollup.ts";

/** What resets work with. */
type ResetParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly roll: Pick<Rollup, "markStale" | "wake">;
  readonly effects: Pick<Effects, "now_us" | "random">;
};

/** Where a reset is declared, and the name of the token that it is declared with. */
type ResetMaker = { readonly project: Project; readonly author: string };

/** A declared reset with the readings on both sides of it. */
export type PlacedReset = CounterReset & ReadingsAround;

/**
 * Stores a reset from plain data. Throws a `Fault`: invalid with its flaws, or conflict where the
 * counter has a reset at that instant, or there are too many.
 */
export async function declareReset(
  parts: ResetParts,
  data: unknown,
  { project, author }: ResetMaker,
): Promise<PlacedReset> {
  const { tag, at, ...values } = parseReset(data);
  const { tag_no } = counterTag(parts.catalog, { project, tag });
  const { project_no } = project;
  const reset = {
    id: newId(parts.effects),
    project_no,
    site_no: null,
    tag_no,
    at_us: instantOf(at),
    ...values,
    author,
  };
  return await change(parts, reset, async ({ connection }) => {
    await refuseCrowd(connection, reset);
    await insertReset(connection, reset);
  });
}

/**
 * Removes a reset of a project. Throws a `Fault`: not_found, or conflict where a site file declares
 * it.
 */
export async function removeReset(
  parts: ResetParts,
  { project, id }: { readonly project: Project; readonly id: string },
): Promise<PlacedReset> {
  const { project_no } = project;
  const reset = await parts.database.read((it) => findReset(it, { project_no, id }));
  if (!reset) throw new Fault("not_found", "the project has no reset with this id");
  if (reset.site_no !== null) {
    throw new Fault("conflict", "a site file declares this reset: remove it there");
  }
  return await change(parts, reset, ({ connection }) => deleteReset(connection, id));
}

/** Refuses a reset at whose instant there is one of its counter, or one too many. */
async function refuseCrowd(connection: Connection, reset: CounterReset): Promise<void> {
  const { same, same_of_site, of_counter, of_project } = await countBeside(connection, reset);
  const { resets_per_counter, resets_per_project } = counter_limits;
  if (same_of_site > 0) {
    throw new Fault("conflict", "a site file declares a reset of the counter at this time");
  }
  if (same > 0) {
    throw new Fault("conflict", "the counter has another reset at this time: delete it first");
  }
  if (of_counter >= resets_per_counter) {
    throw new Fault("conflict", `the counter has ${resets_per_counter} declared resets already`);
  }
  if (of_project >= resets_per_project) {
    throw new Fault("conflict", `the project has ${resets_per_project} declared resets already`);
  }
}

/** Does something to a reset, and has all that it concerns computed again. */
async function change(
  { database, roll }: ResetParts,
  reset: CounterReset,
  store: (write: Write) => Promise<void>,
): Promise<PlacedReset> {
  const around = await database.write(async (write) => {
    await store(write);
    const around = await readingsAround(write.connection, reset);
    const from_us = around.before_ts ?? reset.at_us;
    const to_us = (around.ts ?? reset.at_us) + 1;
    await roll.markStale(write, [reset.tag_no], { from_us, to_us });
    return around;
  });
  roll.wake();
  return { ...reset, ...around };
}

function counterTag(
  catalog: Catalog,
  { project, tag }: { readonly project: Project; readonly tag: string },
): Tag {
  const found = catalog.findTag(project.project_no, "signal", tag);
  const sensors = catalog.sensorsOfTag(found?.tag_no ?? -1);
  if (found && sensors.some(({ accumulation }) => accumulation === "counter")) return found;
  throw resetRefusal([{ path: "tag", message: "no sensor of the project takes it for a counter" }]);
}
