// Declared resets of counters: checked, stored, removed, and what they change computed again.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import { type CounterReset, parseReset, resetRefusal } from "../../model/counters/reset.ts";
import type { Project, Tag } from "../../model/plant/plant.ts";
import { deleteReset, insertReset, listResets, spanAround } from "../../store/counters/reset.ts";
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

/**
 * Stores a reset from plain data. Throws a `Fault`: invalid with its flaws, or conflict where the
 * tag has a reset at that instant.
 */
export async function declareReset(
  parts: ResetParts,
  data: unknown,
  { project, author }: ResetMaker,
): Promise<CounterReset> {
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
  await change(parts, reset, async ({ connection }) => {
    const others = await listResets(connection);
    if (others.some((it) => it.tag_no === tag_no && it.at_us === reset.at_us)) {
      throw new Fault("conflict", "the counter has another reset at this time: delete it first");
    }
    await insertReset(connection, reset);
  });
  return reset;
}

/**
 * Removes a reset of a project. Throws a `Fault`: not_found, or conflict where a site file declares
 * it.
 */
export async function removeReset(
  parts: ResetParts,
  { project, id }: { readonly project: Project; readonly id: string },
): Promise<CounterReset> {
  const resets = await parts.database.read(listResets);
  const reset = resets.find((it) => it.id === id && it.project_no === project.project_no);
  if (!reset) throw new Fault("not_found", "the project has no reset with this id");
  if (reset.site_no !== null) {
    throw new Fault("conflict", "a site file declares this reset: remove it there");
  }
  await change(parts, reset, ({ connection }) => deleteReset(connection, id));
  return reset;
}

/** Does something to a reset, and has all that it concerns computed again. */
async function change(
  { database, roll }: ResetParts,
  reset: CounterReset,
  store: (write: Write) => Promise<void>,
): Promise<void> {
  await database.write(async (write) => {
    await store(write);
    await roll.markStale(write, [reset.tag_no], await spanAround(write.connection, reset));
  });
  roll.wake();
}

function counterTag(
  catalog: Catalog,
  { project, tag }: { readonly project: Project; readonly tag: string },
): Tag {
  const found = catalog.tags.find((it) =>
    it.project_no === project.project_no && it.lane === "signal" && it.sensor_tag === tag
  );
  const sensors = catalog.sensorsOfTag(found?.tag_no ?? -1);
  if (found && sensors.some(({ accumulation }) => accumulation === "counter")) return found;
  throw resetRefusal([{ path: "tag", message: "no sensor of the project takes it for a counter" }]);
}
