// The rules in force and where they watch: in memory, worked out anew with rules and plant.
import type { Tag } from "../model/plant.ts";
import type { Watchpoint } from "../model/rule.ts";
import type { Connection } from "../store/connection.ts";
import type { Database } from "../store/database.ts";
import { type Plant, readPlant } from "../store/plant.ts";
import { readRules } from "../store/rule.ts";
import { expandRules, type Expansion, type Waiting } from "./rule_expand.ts";

/** Where rules watch once a write is committed. */
export type Prepared = Expansion;

/** Look-ups over the points where rules watch; swapped whole. */
export class Rules {
  #watchpoints: readonly Watchpoint[] = [];
  #by_tag: ReadonlyMap<number, readonly Watchpoint[]> = new Map();
  #by_rule: ReadonlyMap<number, readonly Watchpoint[]> = new Map();
  #waiting: ReadonlyMap<string, readonly Waiting[]> = new Map();
  #version = 0;
  /** Told of every change, while it is made. */
  onChange: (() => void) | undefined;

  private constructor() {}

  /** Reads what is stored. */
  static async open({ database }: { readonly database: Database }): Promise<Rules> {
    const rules = new Rules();
    rules.adopt(
      await database.read(async (connection) => prepare(connection, await readPlant(connection))),
    );
    return rules;
  }

  /** Where rules watch, in the order of sites and keys. */
  get watchpoints(): readonly Watchpoint[] {
    return this.#watchpoints;
  }

  /** Rises with every change. */
  get version(): number {
    return this.#version;
  }

  /** Where rules watch one tag. */
  ofTag(tag_no: number): readonly Watchpoint[] {
    return this.#by_tag.get(tag_no) ?? [];
  }

  /** Where one rule watches. */
  ofRule(rule_no: number): readonly Watchpoint[] {
    return this.#by_rule.get(rule_no) ?? [];
  }

  /** Within a write that changed rules or the plant: where rules watch after it. */
  prepare({ connection }: { readonly connection: Connection }, plant: Plant): Promise<Prepared> {
    return prepare(connection, plant);
  }

  /**
   * Where rules watch after a write that takes up `tags`, which templates may have waited for;
   * undefined where that changes nothing.
   */
  prepareTags(tags: readonly Tag[]): Prepared | undefined {
    const begun = tags.flatMap((tag) =>
      tag.lane === "signal"
        ? this.#waiting.get(nameKey(tag))?.map((it) => ({ it, watchpoint: it.watch(tag) })) ?? []
        : []
    );
    if (begun.length === 0) return undefined;
    const gone = new Set(begun.map(({ it }) => it));
    return {
      watchpoints: [...this.#watchpoints, ...begun.map(({ watchpoint }) => watchpoint)],
      waiting: [...this.#waiting.values()].flat().filter((it) => !gone.has(it)),
    };
  }

  /** Takes what was prepared in place of what was known: after the commit. */
  adopt({ watchpoints, waiting }: Prepared): void {
    this.#watchpoints = watchpoints;
    this.#by_tag = Map.groupBy(watchpoints, ({ tag_no }) => tag_no);
    this.#by_rule = Map.groupBy(watchpoints, ({ rule }) => rule.rule_no);
    this.#waiting = Map.groupBy(waiting, nameKey);
    this.#version++;
    this.onChange?.();
  }
}

async function prepare(connection: Connection, plant: Plant): Promise<Prepared> {
  const rows = await readRules(connection);
  return expandRules(rows.filter(({ valid_to }) => valid_to === null), plant);
}

function nameKey(
  { project_no, sensor_tag }: { readonly project_no: number; readonly sensor_tag: string },
): string {
  return `${project_no}\n${sensor_tag}`;
}
