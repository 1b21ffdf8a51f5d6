// `demo --once`: a plant from nothing, asked over real HTTP, its answers compared with its story.
import assert from "node:assert/strict";
import { openService, version } from "../../../src/app.ts";
import { type Effects, systemEffects } from "../../../src/base/effects.ts";
import { runCli } from "../../../src/cli/cli.ts";
import type { DemoStory } from "../../../src/engine/demo/story.ts";
import {
  alarmFlaw,
  availabilityFlaw,
  daysFlaw,
  forecastFlaw,
  invertersFlaw,
  issueFlaw,
  lossFlaw,
  timelineFlaw,
} from "../../engine/demo/flaw_help.ts";
import { alarmsOf, downDaysOf, momentsOf } from "../../engine/demo/story_help.ts";

/** Runs a command line in the real world; its output and the answers to its requests are kept. */
async function run(...args: string[]) {
  const printed = { out: "", err: "" };
  const answers: Uint8Array[] = [];
  const real = systemEffects();
  const effects: Effects = {
    ...real,
    env: () => ({}),
    out: (text: string) => void (printed.out += text),
    err: (text: string) => void (printed.err += text),
    log: (text: string) => void (printed.err += text),
    columns: () => 0,
    request: async (request) => {
      const response = await real.request(request);
      answers.push(await response.clone().bytes());
      return response;
    },
  };
  const small = ["--memory-mb", "256", "--threads", "1"];
  const code = await runCli([...small, ...args], { effects, version, openService });
  return { code, answers, ...printed };
}

type Judge = (body: Uint8Array) => string | undefined;

/** By question, what is wrong with its answer when the plant's story is as it is. */
function judgesOf(story: DemoStory, days: number): Readonly<Record<string, Judge>> {
  const now_us = Date.now() * 1000;
  const moments = momentsOf(story, now_us);
  const alarms = alarmsOf(story, now_us);
  const had_trip = alarms.some(({ kind, certain }) => kind === "trip" && certain);
  return {
    "the service is ready": () => undefined,
    "each inverter's hours, as an Arrow stream": (body) =>
      body.length < 10_000 || body[0] !== 0xff ? "no Arrow stream" : undefined,
    "the signals of the last hour, as NDJSON": (body) =>
      body.length < 10_000 ? `only ${body.length} bytes` : undefined,
    "an unknown token is refused": () => undefined,
    "the plant's days against their model": ofRows(daysFlaw(days)),
    "each inverter's days against its model": ofRows(invertersFlaw(downDaysOf(story, now_us))),
    "the plant's availability": ofRows(availabilityFlaw),
    "the states of its inverters": ofRows(timelineFlaw(moments)),
    "its alarms": ofRows(alarmFlaw(alarms)),
    "its issues with their work orders": ofRows(issueFlaw({ had_trip })),
    "the plant's losses by day": ofRows(lossFlaw),
    "today's forecast for the meter": ofRows(forecastFlaw),
  };
}

/** A judge of the rows of a JSON array. */
function ofRows<Row>(flaw: (rows: readonly Row[]) => string | undefined): Judge {
  return (body) => flaw(JSON.parse(new TextDecoder().decode(body)));
}

/** Runs `demo --once` and holds every answer it got against the plant's story. */
async function askOnce(data_dir: string, ...more: string[]): Promise<{ err: string }> {
  const flags = ["--data-dir", data_dir, "--port", "0", "demo", "--once", "--days", "1", ...more];
  const { code, out, err, answers } = await run(...flags);
  assert.equal(code, 0, out + err);
  const story = JSON.parse(await Deno.readTextFile(`${data_dir}/demo.json`));
  const judges = judgesOf(story, 1);
  const asked = Array.from(out.matchAll(/^ok {5}(.*) \(\d+ ms\)$/gm), ([, name]) => name);
  assert.deepEqual(asked, Object.keys(judges));
  assert.equal(answers.length, asked.length);
  asked.forEach((name, i) => assert.equal(judges[name](answers[i]), undefined, name));
  return { err };
}

Deno.test("demo: fills a directory, answers the truth, and goes on where it was", async () => {
  const data_dir = await Deno.makeTempDir();
  try {
    const { err } = await askOnce(data_dir);
    assert.match(err, /Simulating the plant 100 %/);
    assert.match(err, /Rolling up .* 100 %[^]*Working out .* 100 %[^]*Evaluating .* 100 %/);
    const storyOf = async (): Promise<DemoStory> =>
      JSON.parse(await Deno.readTextFile(`${data_dir}/demo.json`));
    const { live = [], ...story } = await storyOf();
    assert.equal(live.length, 1);
    await askOnce(data_dir, "--seed", "9");
    const { live: lived = [], ...same } = await storyOf();
    assert.deepEqual(same, story);
    assert.equal(lived[0].from_us, live[0].from_us);
    assert(lived[0].to_us! > live[0].from_us);
    assert.equal(lived.length, 2);
  } finally {
    await Deno.remove(data_dir, { recursive: true });
  }
});

Deno.test("demo: another plant's directory is refused, wrong numbers are wrong usage", async () => {
  const data_dir = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${data_dir}/wattkeeper.duckdb`, "something");
    const { code, err } = await run("--data-dir", data_dir, "demo", "--once");
    assert.equal(code, 1);
    assert.match(err, /holds another plant's data/);
    assert.equal((await run("demo", "--days", "0")).code, 2);
    assert.equal((await run("demo", "--seed", "x")).code, 2);
  } finally {
    await Deno.remove(data_dir, { recursive: true });
  }
});
