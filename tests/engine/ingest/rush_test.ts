// A rush of samples: what the roll-up waits for, and for how long.
import { equal } from "node:assert/strict";
import { Rush } from "../../../src/engine/ingest/rush.ts";
import { sample_limits } from "../../../src/model/samples/limits.ts";
import { fakeEffects } from "../../help/effects.ts";

const { rush_least_ms, rush_look_ms, rush_ms, rush_rows_per_ms, rush_waiting_rows } = sample_limits;
const { history_ms, history_waiting_rows, new_ms } = sample_limits;
const many = rush_rows_per_ms * rush_look_ms;

/** A rush of samples that are so old, which is waited for, and whether that is over. */
function waited({ age_ms = 0 } = {}) {
  const { effects, clock } = fakeEffects();
  const state = { backlog: 0, rolled_to_us: clock.now_us };
  const database = {
    get now_us() {
      return clock.now_us;
    },
  };
  const rush = new Rush({ database, roll: { state }, effects });
  const stop = new AbortController();
  return {
    rush,
    state,
    clock,
    stop,
    wait() {
      const it = { is_over: false };
      rush.wait(stop.signal).then(() => it.is_over = true);
      return it;
    },
    /** Time passes, in which rows are stored. */
    async pass(ms: number, rows: number) {
      for (let half = 0; half < 2; half++) {
        rush.stored({ rows: rows / 2, to_us: clock.now_us - age_ms * 1000 });
        clock.advance(ms / 2);
        for (let i = 0; i < 10; i++) await Promise.resolve();
      }
    },
  };
}

/** A rush that the roll-up has waited for nearly as long as it does at most. */
async function nearlyLongRush({ age_ms = 0, most_ms = rush_ms as number } = {}) {
  const it = waited({ age_ms });
  await it.pass(rush_look_ms, many);
  const turn = it.wait();
  for (let ms = rush_look_ms; ms < most_ms; ms += rush_look_ms) {
    await it.pass(rush_look_ms, many);
    equal(turn.is_over, false);
  }
  return { it, turn };
}

Deno.test("nothing waits for what a plant sends", async () => {
  const it = waited();
  await it.pass(rush_look_ms, many - 1);
  const turn = it.wait();
  await it.pass(0, 0);
  equal(turn.is_over, true);
});

Deno.test("a large body alone is no rush", async () => {
  const it = waited();
  await it.pass(rush_least_ms, many);
  const turn = it.wait();
  await it.pass(0, 0);
  equal(turn.is_over, true);
});

Deno.test("the roll-up waits for a rush until that is over", async () => {
  const { it, turn } = await nearlyLongRush();
  await it.pass(rush_look_ms, many / 2);
  equal(turn.is_over, true);
});

Deno.test("a rush that goes on is waited for no longer than a while, each time anew", async () => {
  const { it, turn } = await nearlyLongRush();
  await it.pass(rush_look_ms, many);
  equal(turn.is_over, true);
  // It stays so far behind, and no further.
  await it.pass(rush_look_ms, many);
  const behind = it.wait();
  await it.pass(0, many);
  equal(behind.is_over, true);
  it.state.rolled_to_us = it.clock.now_us;
  await it.pass(rush_look_ms, many);
  const caught_up = it.wait();
  await it.pass(0, 0);
  equal(caught_up.is_over, false);
});

Deno.test("what is long over is waited for longer, and up to more rows", async () => {
  const { it, turn } = await nearlyLongRush({ age_ms: new_ms, most_ms: history_ms });
  await it.pass(rush_look_ms, many);
  equal(turn.is_over, true);
  const other = waited({ age_ms: new_ms });
  other.state.backlog = history_waiting_rows - 1;
  await other.pass(rush_look_ms, many);
  const waits = other.wait();
  await other.pass(rush_look_ms, many);
  equal(waits.is_over, false);
  other.state.backlog++;
  await other.pass(rush_look_ms, many);
  equal(waits.is_over, true);
});

Deno.test("one new sample among what is long over ends the longer wait, for a while", async () => {
  const it = waited({ age_ms: new_ms });
  it.state.backlog = rush_waiting_rows;
  await it.pass(rush_look_ms, many);
  const turn = it.wait();
  await it.pass(rush_look_ms, many);
  equal(turn.is_over, false);
  it.rush.stored({ rows: 1, to_us: it.clock.now_us - new_ms * 1000 + 1 });
  await it.pass(rush_look_ms, many);
  equal(turn.is_over, true);
  it.clock.advance(new_ms);
  it.state.rolled_to_us = it.clock.now_us;
  await it.pass(rush_look_ms, many);
  const later = it.wait();
  await it.pass(rush_look_ms, many);
  equal(later.is_over, false);
});

Deno.test("a rush is waited for up to so many rows, and not at the service's end", async () => {
  const it = waited();
  await it.pass(rush_look_ms, many);
  const turn = it.wait();
  it.state.backlog = rush_waiting_rows;
  await it.pass(rush_look_ms, many);
  equal(turn.is_over, true);
  it.state.backlog = 0;
  await it.pass(rush_look_ms, many);
  const last = it.wait();
  it.stop.abort();
  await it.pass(0, 0);
  equal(last.is_over, true);
});
