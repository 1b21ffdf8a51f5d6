// Answers of links that are kept for a moment: who shares one, and how long it stands.
import { equal, rejects } from "node:assert/strict";
import { Questions } from "../../../src/engine/query/query.ts";
import { KeptAnswers, type Made } from "../../../src/http/query/kept.ts";
import { queriesPath } from "../../../src/store/folder.ts";
import { fakeEffects } from "../../help/effects.ts";
import { until } from "../../help/until.ts";

const notAsked = () => {
  throw new Error("nothing is asked");
};
const madeOf = (text: string) => Promise.resolve({ bytes: new TextEncoder().encode(text) });

Deno.test("who waits beside a reader who leaves gets an answer of their own", async () => {
  const kept = new KeptAnswers(fakeEffects().effects);
  const first = Promise.withResolvers<Made>();
  const gone = kept.answer("k", { is_part: false, make: () => first.promise });
  const waits = kept.answer("k", { is_part: false, make: () => madeOf("own") });
  first.reject(new DOMException("the client went away", "AbortError"));
  await rejects(gone, { name: "AbortError" });
  equal(new TextDecoder().decode((await waits).bytes), "own");
});

Deno.test("an answer that is read in parts for ever is made anew at last", async () => {
  const { effects, clock } = fakeEffects();
  const kept = new KeptAnswers(effects);
  let made = 0;
  const read = () => kept.answer("k", { is_part: true, make: () => madeOf(String(made++)) });
  for (let minute = 0; minute < 10; minute += 0.5) {
    await read();
    clock.advance(30_000);
  }
  equal(made, 1);
  await read();
  equal(made, 2);
});

Deno.test("what a killed process left of questions goes at the next start", async () => {
  const settings = { data_dir: await Deno.makeTempDir() };
  const left = `${queriesPath(settings)}/left`;
  await Deno.mkdir(left, { recursive: true });
  new Questions({ settings, effects: { ...fakeEffects().effects, startSelf: notAsked } });
  const isThere = () => Deno.stat(left).then(() => true, () => false);
  await until(async () => !await isThere());
});
