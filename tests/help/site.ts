// A plant in memory for tests of site files: apply, try out, show, and samples that hold it.
import assert from "node:assert/strict";
import { Fault } from "../../src/base/fault.ts";
import { Catalog } from "../../src/engine/catalog/catalog.ts";
import { type Follow, followRules } from "../../src/engine/rules/follow.ts";
import { openRuleEngine } from "../../src/engine/rules/open.ts";
import { applySite, showSite } from "../../src/engine/site/site.ts";
import type { SiteInput } from "../../src/model/site/file.ts";
import { Database } from "../../src/store/database.ts";
import { markTagsStale } from "../../src/store/rollup/stale.ts";
import { fakeEffects } from "./effects.ts";
import { runQuery } from "./query.ts";

/** An empty plant in memory, its clock at 2026-06-01 12:00 UTC, and what can be done with it. */
export async function openSites() {
  const { effects } = fakeEffects();
  const database = await Database.open({ path: ":memory:", threads: 1, effects });
  const catalog = await Catalog.load(database);
  const stale: number[] = [];
  const roll = {
    markStale(write: Parameters<typeof markTagsStale>[0], tag_nos: readonly number[]) {
      stale.push(...tag_nos);
      return markTagsStale(write, tag_nos);
    },
    wake() {},
  };
  const rule_engine = await openRuleEngine({ database, catalog, effects });
  const follow = followRules({ database, catalog, ...rule_engine });
  const parts = { database, catalog, ...rule_engine, follow, roll, effects };
  return {
    ...parts,
    stale,
    apply: (file: unknown) => applySite(parts, file, { dry_run: false }),
    tryOut: (file: unknown) => applySite(parts, file, { dry_run: true }),
    show: (key = "s") => showSite(parts, key),
    /** Stores a sample of a tag; a tag never seen is taken up. */
    async sample(sensor_tag: string, lane: "signal" | "model" = "signal") {
      let tag_no = catalog.findTag(1, lane, sensor_tag)?.tag_no;
      await database.write(async ({ connection, stamp_us }) => {
        if (tag_no === undefined) {
          tag_no = 1 + Math.max(0, ...catalog.tags.map((tag) => tag.tag_no));
          await runQuery(
            connection,
            "INSERT INTO tag VALUES ($tag_no, 1, $lane, $sensor_tag, NULL, 'float', NULL, 900, " +
              "NULL, NULL, false, NULL)",
            { tag_no, lane, sensor_tag },
          );
        }
        await runQuery(
          connection,
          "INSERT INTO sample VALUES ($tag_no, 1, $stamp_us, 1.5, NULL, NULL, NULL, NULL)",
          { tag_no, stamp_us },
        );
      });
      await catalog.reload();
      return tag_no!;
    },
  };
}

/** For sites without rules. */
export const follow_nothing: Follow = () => Promise.resolve(() => {});

/** A small right site file. */
export const plain: SiteInput = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "Europe/Madrid" },
  site: { key: "s", name: "S", latitude: 40, longitude: -3 },
  blocks: [{ key: "B" }],
  devices: [{ key: "I", type: "inverter", block: "B" }],
  tags: [{ name: "i.alarm", class: "alarms" }],
  sensors: [
    { tag: "i.p", device: "I", measure: "active_power", scale: 1000, capacity: 5000 },
    { tag: "i.p", device: "I", measure: "energy", scale: 1000, capacity: 5000 },
  ],
};

/** Changes in words. */
export const words = (report: { changes: readonly object[] }) =>
  (report.changes as { action: string; kind: string; key: string; fields: string[] }[])
    .map(({ action, kind, key, fields }) => `${action} ${kind} ${key} ${fields}`.trim());

/** Asserts that `work` is refused with a code and, unless it is empty, a flaw at `path`. */
export function refused(work: Promise<unknown>, code: string, path: string): Promise<void> {
  return assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.code, code, error.message);
    if (path) assert.ok(error.flaws.some((it) => it.path === path), JSON.stringify(error.flaws));
    return true;
  });
}
