// Chance from a seed: the same number for the same question, in whatever order one asks.

/** A source of chance without memory: every answer depends on the seed and the question only. */
export class Dice {
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = mix(seed ^ 0x9e3779b9);
  }

  /** A number in [0, 1) for a channel (whole number) and a step of it. */
  unit(channel: number, step = 0): number {
    const key = mix(this.#seed ^ Math.imul(channel + 1, 0x85ebca6b));
    return mix(key ^ Math.imul(step | 0, 0xc2b2ae35)) / 2 ** 32;
  }

  /** A whole number in [0, count) likewise. */
  pick(count: number, { channel, step }: { channel: number; step: number }): number {
    return Math.floor(this.unit(channel, step) * count);
  }

  /** A curve through one random point in [-1, 1) a unit of `at`, smooth in between. */
  curve(channel: number, at: number): number {
    const step = Math.floor(at);
    const t = at - step;
    const from = this.unit(channel, step);
    const to = this.unit(channel, step + 1);
    return 2 * (from + (to - from) * t * t * (3 - 2 * t)) - 1;
  }
}

/** The finaliser of MurmurHash3: every bit of the input changes half of the output's. */
function mix(word: number): number {
  let h = word | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
