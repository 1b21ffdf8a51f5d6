// Samples of sources on their way into ingest: held while they can't be stored, rejected in words.
import assert from "node:assert/strict";
import { Fault } from "../../../src/base/fault.ts";
import { Gather, SourceState } from "../../../src/engine/devices/state.ts";
import { TagCache } from "../../../src/wire/samples/tag_index.ts";
import { fakeEffects } from "../../help/effects.ts";
import { until } from "../../help/until.ts";

type Parts = ConstructorParameters<typeof Gather>[0];
type Answer = Awaited<ReturnType<Parts["ingest"]["add"]>>;

const none = { corrected: 0, duplicates: 0, rejected_count: 0, rejected: [] };
const taken: Answer = { accepted: 2, ...none };

/** A gather over an ingest that answers as told, and the bodies that came to it. */
function opened(answer: (body: number) => Answer | Error) {
  const { effects, clock } = fakeEffects();
  const bodies: string[][] = [];
  const ingest = {
    tags: new TagCache(),
    add(_project: unknown, { batches: [batch] }: Parameters<Parts["ingest"]["add"]>[1]) {
      bodies.push(Array.from(batch.tag, (code) => batch.tags[code]));
      const given = answer(bodies.length);
      return given instanceof Error ? Promise.reject(given) : Promise.resolve(given);
    },
  } as unknown as Parts["ingest"];
  const catalog = { projectByNo: () => ({ project_no: 1 }) } as unknown as Parts["catalog"];
  const gather = new Gather({ ingest, catalog, effects });
  const state = new SourceState({ now_us: effects.now_us, changed: () => {} });
  const stop = new AbortController();
  const running = gather.run(stop.signal);
  const add = (...tags: string[]) =>
    gather.add(1, tags.map((tag) => ({ tag, ts_us: clock.now_us, value: 1 })), state);
  const pass = async (is_so: () => boolean) => {
    let turns = 0;
    await until(() => {
      if (++turns % 20 === 0) clock.advance(100);
      return is_so();
    });
  };
  const close = async () => {
    stop.abort();
    await running;
  };
  return { bodies, state, gather, add, pass, close };
}

Deno.test("what comes in one moment is one body, and counts as the newest value", async () => {
  const { bodies, state, add, pass, close } = opened(() => taken);
  await add("a");
  await add("b");
  await pass(() => bodies.length === 1 && state.last_value_us !== null);
  assert.deepEqual(bodies, [["a", "b"]]);
  await close();
});

Deno.test("what can't be stored now is held and stored later, once", async () => {
  const { bodies, state, gather, add, pass, close } = opened((body) =>
    body < 3 ? new Fault("unavailable", "the disk is full") : taken
  );
  await add("a", "b");
  await pass(() => bodies.length === 2);
  assert.equal(gather.held, 2);
  assert.equal(state.last_value_us, null);
  await add("c");
  await pass(() => gather.held === 0);
  assert.deepEqual(bodies.at(-1), ["a", "b", "c"]);
  await close();
  assert.equal(bodies.length, 3);
});

Deno.test("rejected samples are counted with their reasons, all of them", async () => {
  const rejected = [{ line: 1, tag: "b", reason: "value is a text" }];
  const { state, add, pass, close } = opened(() => ({ ...taken, rejected_count: 3, rejected }));
  await add("a", "b", "c", "d");
  await pass(() => state.errors.rejected > 0);
  assert.equal(state.errors.rejected, 3);
  assert.deepEqual([...state.reasons], [["value is a text", { count: 1, tag: "b", topic: null }]]);
  await close();
});

Deno.test("what waits at the end is stored; what is never taken is given up", async () => {
  const { bodies, state, add, close } = opened((body) =>
    body === 1 ? new Fault("invalid", "no such body") : taken
  );
  await add("a");
  await close();
  assert.equal(bodies.length, 1);
  assert.deepEqual([...state.reasons.keys()], ["no such body"]);
});
