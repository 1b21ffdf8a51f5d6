// Leases: whatever clocks and delays do, no two nodes are ever certain of one shard.
import { equal } from "node:assert/strict";
import fc from "fast-check";
import { certainUntil, isFree, seen, type Sight } from "../../../src/model/fleet/decide.ts";
import { fleet_limits } from "../../../src/model/fleet/limits.ts";

const { lease_ms } = fleet_limits;

/** One look of a node: how long its way there and back takes, and its pause after. */
const look = fc.record({
  there_ms: fc.nat(4_000),
  back_ms: fc.nat(4_000),
  pause_ms: fc.oneof(fc.nat(2_000), fc.constant(2_000), fc.nat(40_000)),
  /** How far the catalogue's clock is set by then. */
  set_ms: fc.integer({ min: -60_000, max: 60_000 }),
});

/** A node's clock begins anywhere and runs up to 2 % wrong. */
const node = fc.record({
  begin_ms: fc.nat(1e6),
  rate: fc.double({ min: 0.98, max: 1.02, noNaN: true }),
  looks: fc.array(look, { maxLength: 40 }),
});

type Look = { there_ms: number; back_ms: number; pause_ms: number; set_ms: number };

/** The catalogue's row of one shard. */
class Row {
  node = -1;
  epoch = 0;
  renewals = 0;
  until_ms = 0;

  get mark(): string {
    return `${this.epoch} ${this.renewals}`;
  }
}

/** A node of the simulation, whose looks are in order of true time. */
class Node {
  readonly #rate: number;
  readonly #begin_ms: number;
  readonly looks: Look[];
  epoch = -1;
  until_ms = -Infinity;
  asked_ms = 0;
  sights: ReadonlyMap<number, Sight> = new Map();
  /** The mark that it is about to take. */
  wish: string | undefined;

  constructor({ begin_ms, rate, looks }: { begin_ms: number; rate: number; looks: Look[] }) {
    [this.#begin_ms, this.#rate, this.looks] = [begin_ms, rate, [...looks]];
  }

  clock(true_ms: number): number {
    return this.#begin_ms + true_ms * this.#rate;
  }

  get read_ms(): number {
    return this.looks.length === 0 ? Infinity : this.asked_ms + this.looks[0].there_ms;
  }

  /** What happens at the catalogue and, after the way back, at the node. */
  look(no: number, row: Row): boolean {
    const { there_ms, back_ms, pause_ms, set_ms } = this.looks.shift()!;
    const { asked_ms } = this;
    const wall_ms = asked_ms + there_ms + set_ms;
    const came_ms = asked_ms + there_ms + back_ms;
    let is_taken = false;
    if (this.wish !== undefined) {
      if (row.mark === this.wish && (row.node === -1 || row.until_ms < wall_ms)) {
        [row.node, row.epoch, row.until_ms] = [no, row.epoch + 1, wall_ms + lease_ms];
        [this.epoch, this.until_ms] = [row.epoch, certainUntil(this.clock(asked_ms))];
        is_taken = true;
      }
      this.wish = undefined;
    } else if (row.node === no && row.epoch === this.epoch) {
      [row.until_ms, row.renewals] = [wall_ms + lease_ms, row.renewals + 1];
      this.until_ms = certainUntil(this.clock(asked_ms));
    } else {
      this.until_ms = -Infinity;
      const now_ms = this.clock(came_ms);
      this.sights = seen(this.sights, { marks: new Map([[0, row.mark]]), came_ms: now_ms });
      const held = { node: row.node < 0 ? null : `${row.node}`, is_held: row.until_ms > wall_ms };
      if (isFree(held, { sight: this.sights.get(0), now_ms })) this.wish = row.mark;
    }
    this.asked_ms = came_ms + (this.wish === undefined ? pause_ms : 0);
    return is_taken;
  }
}

Deno.test("no two nodes are certain of a shard, whatever clocks and delays do", () => {
  let takeovers = 0;
  fc.assert(
    fc.property(fc.array(node, { minLength: 2, maxLength: 3 }), (given) => {
      const nodes = given.map((it) => new Node(it));
      const row = new Row();
      for (;;) {
        const read_ms = Math.min(...nodes.map((it) => it.read_ms));
        if (read_ms === Infinity) return;
        const no = nodes.findIndex((it) => it.read_ms === read_ms);
        if (!nodes[no].look(no, row)) continue;
        takeovers++;
        const certain = nodes.filter((it) => it.clock(read_ms) < it.until_ms);
        equal(certain.length <= 1, true, "two are certain");
      }
    }),
    { numRuns: 500 },
  );
  equal(takeovers > 500, true);
});

Deno.test("a lease counts from before it was asked for, and ends sooner than others see", () => {
  equal(certainUntil(5_000), 5_000 + lease_ms - fleet_limits.margin_ms);
});

Deno.test("a shard without a node is free at once, a held one after a silent lease", () => {
  const now_ms = 50_000;
  const sight = (since_ms: number) => ({ mark: "1", since_ms });
  equal(isFree({ node: null, is_held: false }, { sight: undefined, now_ms }), true);
  equal(isFree({ node: "a", is_held: false }, { sight: undefined, now_ms }), false);
  equal(isFree({ node: "a", is_held: false }, { sight: sight(now_ms - lease_ms), now_ms }), true);
  equal(
    isFree({ node: "a", is_held: false }, { sight: sight(now_ms - lease_ms + 1), now_ms }),
    false,
  );
  equal(isFree({ node: "a", is_held: true }, { sight: sight(0), now_ms }), false);
});
