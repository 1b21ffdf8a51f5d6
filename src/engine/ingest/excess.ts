// Powers in a file that no device of their rating can have.
import { isValid } from "../../model/data/chunk.ts";
import { mostPower, type Rating, type UnitHint, unitHint } from "../../model/samples/excess.ts";
import type { SampleBatch } from "../../model/samples/sample.ts";
import type { Decoded } from "../../wire/decode.ts";

/** A power as its tag sends it, and how much its device can have at most. */
export type RatedTag = Rating & { readonly offset: number };

/** The powers of a project whose rating is known, by their tags. */
export type Ratings = ReadonlyMap<string, RatedTag>;

/** What a tag of a file has beyond its rating: how many values, and the greatest of either sign. */
export type FileExcess = UnitHint & {
  readonly tag: string;
  readonly count: number;
  readonly greatest_w: number;
  readonly rated_w: number;
};

/** A power that the file has, and what of it is beyond its rating so far. */
type Watched = RatedTag & {
  readonly tag: string;
  readonly most_w: number;
  count: number;
  greatest_w: number;
};

const none = { count: 0, greatest_w: 0 };
const bad = 2;

/** Looks at the measured values of a file, batch by batch; tags have the same numbers in all. */
export class ExcessTally {
  readonly #rated: Ratings;
  /** By the tags' numbers; undefined where no rating is known. */
  readonly #watched: (Watched | undefined)[] = [];

  constructor(rated: Ratings) {
    this.#rated = rated;
  }

  /** Notes what is beyond its rating. */
  look({ batches }: Decoded): void {
    if (this.#rated.size === 0) return;
    for (const batch of batches) if (batch.lane === "signal") this.#lookAt(batch);
  }

  #lookAt(batch: SampleBatch): void {
    const watched = this.#watched;
    for (const tag of batch.tags.slice(watched.length)) {
      const rated = this.#rated.get(tag);
      watched.push(rated && { ...rated, tag, most_w: mostPower(rated.rated_w), ...none });
    }
    const { rows, tag, value, quality } = batch;
    for (let row = 0; row < rows; row++) {
      const power = watched[tag[row]];
      if (power === undefined) continue;
      // A row that has no float may have a whole number.
      const sent = value[row];
      const power_w = (isNaN(sent) ? wholeOf(batch, row) : sent) * power.scale + power.offset;
      const size = Math.abs(power_w);
      if (!(size > power.most_w) || size === Infinity || quality[row] === bad) continue;
      power.count++;
      if (size > Math.abs(power.greatest_w)) power.greatest_w = power_w;
    }
  }

  /** What was found, in the order of the tags. */
  get found(): readonly FileExcess[] {
    return this.#watched.flatMap((it) => {
      if (it === undefined || it.count === 0) return [];
      const { tag, count, greatest_w, rated_w } = it;
      return [{ tag, count, greatest_w, rated_w, ...unitHint(greatest_w, it) }];
    });
  }
}

function wholeOf({ int_valid, value_int }: SampleBatch, row: number): number {
  return isValid(int_valid, row) ? Number(value_int[row]) : NaN;
}
