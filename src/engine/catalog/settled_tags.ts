// Tags of which a write can change nothing, by the names that bodies bring: looked up once.
import type { Project, TagLane } from "../../model/plant/plant.ts";
import type { Catalog, Entry } from "./catalog.ts";

/** Entries by the place of their name; undefined where a write has to look. */
export type Entries = (Entry | undefined)[];

/** By the same places, the tags that hold floats as they are sent; all others are number 0. */
export type PlainTags = {
  readonly tag_no: Int32Array;
  /** Samples from before are refused. */
  readonly closed_us: Float64Array;
  /** The largest size of a value. */
  readonly most: Float64Array;
};

type Place = { readonly project: Project; readonly lane: TagLane };
type Known = {
  readonly project_no: number;
  readonly lane: TagLane;
  readonly entries: Entries;
  plain: PlainTags;
};

const no_tags: PlainTags = {
  tag_no: new Int32Array(0),
  closed_us: new Float64Array(0),
  most: new Float64Array(0),
};

/** Forgets everything when the catalog changes. */
export class SettledTags {
  readonly #catalog: Catalog;
  #version = -1;
  #known = new WeakMap<readonly string[], Known>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** The entries of a list of names, which may have grown. */
  of(names: readonly string[], { project: { project_no }, lane }: Place): Readonly<Known> {
    if (this.#version !== this.#catalog.version) {
      this.#version = this.#catalog.version;
      this.#known = new WeakMap();
    }
    let known = this.#known.get(names);
    if (known?.project_no !== project_no || known.lane !== lane) {
      known = { project_no, lane, entries: [], plain: no_tags };
      this.#known.set(names, known);
    }
    const { entries, plain } = known;
    while (entries.length < names.length) entries.push(undefined);
    if (plain.tag_no.length < names.length) known.plain = grown(plain, 2 * names.length);
    return known;
  }

  /** Adds an entry to those of a list, if no write changes its tag. */
  note({ lane, entries, plain }: Readonly<Known>, place: number, entry: Entry): void {
    const { tag, encoding, need, closed_us } = entry;
    const is_settled = encoding !== null && encoding === tag.encoding &&
      this.#catalog.tag(tag.tag_no) === tag;
    if (!is_settled) return;
    entries[place] = entry;
    if (lane !== "signal" || encoding !== "float" || tag.derived !== null) return;
    plain.tag_no[place] = tag.tag_no;
    plain.closed_us[place] = closed_us;
    plain.most[place] = Math.min(need.most, Number.MAX_VALUE);
  }
}

function grown(from: PlainTags, room: number): PlainTags {
  const to = {
    tag_no: new Int32Array(room),
    closed_us: new Float64Array(room),
    most: new Float64Array(room),
  };
  to.tag_no.set(from.tag_no);
  to.closed_us.set(from.closed_us);
  to.most.set(from.most);
  return to;
}
