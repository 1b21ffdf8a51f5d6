// Tags of which a write can change nothing, by the names that bodies bring: looked up once.
import type { Project, TagLane } from "../../model/plant/plant.ts";
import type { Catalog, Entry } from "./catalog.ts";

/** Entries by the place of their name; undefined where a write has to look. */
export type Entries = (Entry | undefined)[];

type Place = { readonly project: Project; readonly lane: TagLane };
type Known = { readonly project_no: number; readonly lane: TagLane; readonly entries: Entries };

/** Forgets everything when the catalog changes. */
export class SettledTags {
  readonly #catalog: Catalog;
  #version = -1;
  #known = new WeakMap<readonly string[], Known>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** The entries of a list of names, which may have grown; to be added to by `note`. */
  of(names: readonly string[], { project: { project_no }, lane }: Place): Entries {
    if (this.#version !== this.#catalog.version) {
      this.#version = this.#catalog.version;
      this.#known = new WeakMap();
    }
    let known = this.#known.get(names);
    if (known?.project_no !== project_no || known.lane !== lane) {
      known = { project_no, lane, entries: [] };
      this.#known.set(names, known);
    }
    const { entries } = known;
    while (entries.length < names.length) entries.push(undefined);
    return entries;
  }

  /** Whether no write changes a tag: it is in the catalog, and its encoding is fixed. */
  has({ tag, encoding }: Entry): boolean {
    return encoding !== null && encoding === tag.encoding &&
      this.#catalog.tag(tag.tag_no) === tag;
  }
}
