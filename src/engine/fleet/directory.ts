// What a node knows of all shards: where each project is, and what to tell a shard.
import { home_shard, type Notice } from "../../model/fleet/shard.ts";
import type { News } from "../../store/fleet/fleet_catalog.ts";
import { allTold } from "./told.ts";

/** What was told last by every shard. */
export class Directory {
  readonly #news = new Map<number, News>();
  #shards: ReadonlyMap<string, ReadonlySet<number>> = new Map();

  /** The number of what is known of each shard. */
  get known(): ReadonlyMap<number, number> {
    return new Map(Array.from(this.#news.values(), ({ no, told_no }) => [no, told_no]));
  }

  /** Takes what is new. */
  put(news: readonly News[]): void {
    if (news.length === 0) return;
    for (const one of news) this.#news.set(one.no, one);
    const shards = new Map<string, Set<number>>();
    const add = (kind: Kind, name: string, no: number) => {
      const key = `${kind} ${name}`;
      shards.set(key, (shards.get(key) ?? new Set()).add(no));
    };
    for (const { no, told } of this.#news.values()) {
      for (const { id, key } of told.projects) for (const it of [id, key]) add("project", it, no);
      for (const { id, key } of told.sites) for (const it of [id, key]) add("site", it, no);
      for (const id of told.links ?? []) add("link", id, no);
    }
    this.#shards = shards;
  }

  /** The shards of something by its id or key; several where several have this key. */
  shardsOf(kind: Kind, name: string): readonly number[] {
    return [...this.#shards.get(`${kind} ${name}`) ?? []];
  }

  /** What a shard has to know of the others; undefined before that is known. */
  toldTo(no: number): Notice | undefined {
    if (no !== home_shard) return this.#news.get(home_shard)?.told;
    return allTold(
      Array.from(this.#news.values()).filter((it) => it.no !== home_shard).map((it) => it.told),
    );
  }
}

type Kind = "project" | "site" | "link";
