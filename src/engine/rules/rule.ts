// The rules in force and where they watch: in memory, computed again with rules and plant.
import type { Tag } from "../../model/plant/plant.ts";
import type { Watchpoint } from "../../model/rules/rule.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import type { Plant } from "../../store/plant/plant.ts";
import { readJudging } from "../../store/upstream/gateway.ts";
import { readRules, type RuleRow } from "../../store/rules/rule.ts";
import { expandRules, type Expansion, type Waiting } from "./expand.ts";

/** Why a version of a rule is out of force, by number of the rule. */
export type Suspended = ReadonlyMap<number, Suspension>;

/** It threw: it watches nothing until it is changed or the service starts again. */
export type Suspension = {
  readonly version: number;
  readonly since_us: number;
  readonly reason: string;
  /** The alarm that reports it. */
  readonly occurrence_no: number;
};

/** A rule on a tag, which may not be there yet. */
export type RuleOnTag = Pick<Watchpoint, "rule" | "source_tag" | "measure" | "device_id">;

/** Where rules watch once a write is committed, and which are suspended. */
export type Prepared = Expansion & { readonly suspended: Suspended };

/** Look-ups over the points where rules watch; swapped whole. */
export class Rules {
  #watchpoints: readonly Watchpoint[] = [];
  #by_tag: ReadonlyMap<number, readonly Watchpoint[]> = new Map();
  #by_rule: ReadonlyMap<number, readonly Watchpoint[]> = new Map();
  #waiting: ReadonlyMap<string, readonly Waiting[]> = new Map();
  #suspended: Suspended = new Map();
  #elsewhere: ReadonlySet<number> = new Set();
  #version = 0;
  /** Told of every change, while it is made. */
  onChange: (() => void) | undefined;

  private constructor() {}

  /** Reads what is stored; `catalog` is the plant as it is stored. */
  static async open(
    { database, catalog }: { readonly database: Database; readonly catalog: Plant },
  ): Promise<Rules> {
    const rules = new Rules();
    rules.adopt(
      await database.read((connection) => rules.prepare({ connection }, catalog)),
    );
    return rules;
  }

  /** Where rules watch, in the order of sites and keys. */
  get watchpoints(): readonly Watchpoint[] {
    return this.#watchpoints;
  }

  /** Numbers of the rules that watch tags of a project, or wait for some. */
  ofProject(project_no: number): readonly number[] {
    const places = [...this.#watchpoints, ...this.#allWaiting()];
    const own = places.filter(({ rule }) => rule.project_no === project_no);
    return [...new Set(own.map(({ rule }) => rule.rule_no))];
  }

  /** The tags that one rule watches, then those that it waits for. */
  placesOf(rule_no: number): readonly RuleOnTag[] {
    const waiting = this.#allWaiting().filter(({ rule }) => rule.rule_no === rule_no);
    return [
      ...this.ofRule(rule_no),
      ...waiting.map(({ rule, sensor_tag }) => ({
        ...{ rule, source_tag: sensor_tag, measure: null, device_id: null },
      })),
    ];
  }

  /** The rules that threw. */
  get suspended(): Suspended {
    return this.#suspended;
  }

  /** Numbers of the rules that a gateway or the centre judges in place of this service. */
  get elsewhere(): ReadonlySet<number> {
    return this.#elsewhere;
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

  /**
   * Within a write that changed rules or the plant: where rules watch after it. A suspended rule
   * stays out until it has another version.
   */
  async prepare(
    { connection }: { readonly connection: Connection },
    plant: Plant,
  ): Promise<Prepared> {
    const rows = await readRules(connection);
    const in_force = rows.filter(({ valid_to }) => valid_to === null);
    const isSuspended = ({ rule_no, version }: RuleRow) =>
      this.#suspended.get(rule_no)?.version === version;
    const out = new Set(in_force.filter(isSuspended).map(({ rule_no }) => rule_no));
    const judging = await readJudging(connection);
    const expansion = expandRules(in_force.filter((row) => !isSuspended(row)), plant, { judging });
    const suspended = [...this.#suspended].filter(([rule_no]) => out.has(rule_no));
    return { ...expansion, suspended: new Map(suspended) };
  }

  /** Where rules watch once more of them are suspended. */
  prepareWithout(more: Suspended): Prepared {
    return {
      watchpoints: this.#watchpoints.filter(({ rule }) => !more.has(rule.rule_no)),
      waiting: this.#allWaiting().filter(({ rule }) => !more.has(rule.rule_no)),
      suspended: new Map([...this.#suspended, ...more]),
      elsewhere: this.#elsewhere,
    };
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
      waiting: this.#allWaiting().filter((it) => !gone.has(it)),
      suspended: this.#suspended,
      elsewhere: this.#elsewhere,
    };
  }

  /** Takes what was prepared in place of what was known: after the commit. */
  adopt({ watchpoints, waiting, suspended, elsewhere }: Prepared): void {
    this.#elsewhere = elsewhere;
    this.#watchpoints = watchpoints;
    this.#by_tag = Map.groupBy(watchpoints, ({ tag_no }) => tag_no);
    this.#by_rule = Map.groupBy(watchpoints, ({ rule }) => rule.rule_no);
    this.#waiting = Map.groupBy(waiting, nameKey);
    this.#suspended = suspended;
    this.#version++;
    this.onChange?.();
  }

  #allWaiting(): readonly Waiting[] {
    return [...this.#waiting.values()].flat();
  }
}

function nameKey(
  { project_no, sensor_tag }: { readonly project_no: number; readonly sensor_tag: string },
): string {
  return `${project_no}\n${sensor_tag}`;
}
