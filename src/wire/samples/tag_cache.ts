// The tag names that bodies brought, kept from body to body within a bound.
import type { TagLane } from "../../model/plant/plant.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { TagIndex } from "./tag_index.ts";

/** An index for the bodies of each project and lane; all begin anew when they grow too large. */
export class TagCache {
  readonly #indexes = new Map<string, TagIndex>();
  #held_bytes = 0;

  /** The index for the next body. */
  of(project_no: number, lane: TagLane): TagIndex {
    const key = `${project_no} ${lane}`;
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const index = new TagIndex((bytes) => {
      // One that a body still uses after the others began anew goes with that body.
      if (this.#indexes.get(key) === index) this.#take(bytes);
    });
    this.#indexes.set(key, index);
    return index;
  }

  #take(bytes: number): void {
    this.#held_bytes += bytes;
    if (this.#held_bytes <= sample_limits.tag_cache_bytes) return;
    this.#indexes.clear();
    this.#held_bytes = 0;
  }
}
