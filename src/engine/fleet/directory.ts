// What a node knows of all shards: where each project is, and what to tell a shard.
import { type EndedToken, home_shard, type Notice } from "../../model/fleet/shard.ts";
import type { News } from "../../store/fleet/fleet_catalog.ts";
import { allTold } from "./told.ts";

/** What was told last by every shard. */
export class Directory {
  readonly #news = new Map<number, News>();
  #by_id: Places = new Map();
  #by_key: Places = new Map();
  #ended: readonly EndedToken[] = [];
  #digests: ReadonlySet<string> = new Set();

  /** The number of what is known of each shard. */
  get known(): ReadonlyMap<number, number> {
    return new Map(Array.from(this.#news.values(), ({ no, told_no }) => [no, told_no]));
  }

  /** Takes which tokens ended while the home was away. */
  end(ended: readonly EndedToken[]): void {
    this.#ended = ended;
  }

  /** Takes what is new. */
  put(news: readonly News[]): void {
    if (news.length === 0) return;
    for (const one of news) this.#news.set(one.no, one);
    const [by_id, by_key] = [new Map<string, Set<number>>(), new Map<string, Set<number>>()];
    const add = (places: typeof by_id, name: string, no: number) =>
      places.set(name, (places.get(name) ?? new Set()).add(no));
    for (const { no, told } of this.#news.values()) {
      for (const kind of ["project", "site"] as const) {
        for (const { id, key } of told[`${kind}s`]) {
          add(by_id, placeName(kind, id), no);
          add(by_key, placeName(kind, key), no);
        }
      }
      for (const id of told.links ?? []) add(by_id, placeName("link", id), no);
    }
    [this.#by_id, this.#by_key] = [by_id, by_key];
    const { tokens = [], sessions = [] } = this.#news.get(home_shard)?.told ?? {};
    this.#digests = new Set([...tokens, ...sessions].map(({ digest }) => digest));
  }

  /**
   * The shards of something by its id, or else by its key; several where several have this key. An
   * id comes first: whoever gives something of theirs the key that is another's id hides nothing.
   */
  shardsOf(kind: Kind, name: string): readonly number[] {
    const place = placeName(kind, name);
    return [...this.#by_id.get(place) ?? this.#by_key.get(place) ?? []];
  }

  /** Whether the home has told of a token or a session, by the digest of its secret. */
  knows(digest: string): boolean {
    return this.#digests.has(digest);
  }

  /** What a shard has to know of the others; undefined before that is known. */
  toldTo(no: number): Notice | undefined {
    const told = no === home_shard
      ? allTold(
        Array.from(this.#news.values()).filter((it) => it.no !== home_shard).map((it) => it.told),
      )
      : this.#news.get(home_shard)?.told;
    return told && { ...told, ended: this.#ended };
  }
}

type Kind = "project" | "site" | "link";

/** The shards of what has a name. */
type Places = ReadonlyMap<string, ReadonlySet<number>>;

function placeName(kind: Kind, name: string): string {
  return `${kind} ${name}`;
}
