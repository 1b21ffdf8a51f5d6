// `deno run -A tests/bench/instructions.ts [LOOP …]`: instructions of the hot loops, by valgrind.
//
// Times differ from run to run, and with who else uses the machine; these differ by a hundredth.
// Each loop runs some turns, and more of them in a process of its own, all in one thread: what the
// latter take more is divided by what they work on. By then V8 has compiled it as well as it can.
import { systemEffects } from "../../src/base/effects.ts";
import { type Answer, finiteVector, type Vector, wordsOf } from "../../src/model/data/chunk.ts";
import type { Column } from "../../src/model/data/column.ts";
import { QuarterCells } from "../../src/model/rollup/whole.ts";
import { type Format as AnswerFormat, formats as answer_formats } from "../../src/wire/format.ts";
import { TagIndex } from "../../src/wire/samples/tag_index.ts";
import { explain } from "../help/usage.ts";
import { body_minutes, body_values, type Format, makeBody } from "./bodies.ts";
import { decodeBody } from "./ingest.ts";

/** A turn works on so many values. */
const values = body_values;
const first_us = Date.UTC(2026, 0, 1) * 1000;

type Turn = () => unknown;

const loops: Readonly<Record<string, () => Turn>> = {
  "decode line": () => decoding("line"),
  "decode ndjson": () => decoding("ndjson"),
  "decode csv": () => decoding("csv"),
  "decode arrow": () => decoding("arrow"),
  "answer arrow": () => answering("arrow"),
  "answer ndjson": () => answering("ndjson"),
  "answer csv": () => answering("csv"),
  "answer parquet": () => answering("parquet"),
  "whole quarter-hours": summing,
};

/** Decodes some bodies in turn, whose tags are known but for the first time. */
function decoding(format: Format): Turn {
  const tags = new TagIndex();
  const bodies = Array.from({ length: 4 }, (_, i) => {
    return makeBody(format, first_us + i * body_minutes * 60_000_000);
  });
  let turn = 0;
  return () => decodeBody(bodies[turn++ % bodies.length], format, { tags, now_us: first_us });
}

const columns: readonly Column[] = [
  { name: "ts", kind: "instant", nullable: false, doc: "When." },
  { name: "sensor_tag", kind: "text", nullable: false, dictionary: true, doc: "Of which tag." },
  { name: "value", kind: "float64", nullable: true, doc: "What it was." },
];

/** Encodes rows of some tags, each with a time and a number. */
function answering(format: AnswerFormat): Turn {
  const words = wordsOf(Array.from({ length: 500 }, (_, i) => `inverter-${i}.p_ac`));
  const rows = Array.from({ length: values }, (_, row) => row);
  const ts = BigInt64Array.from(rows, (row) => BigInt(first_us + row % 40 * 60_000_000));
  const vectors: readonly Vector[] = [
    { kind: "instant", values: ts },
    { kind: "text", codes: Int32Array.from(rows, (row) => Math.floor(row / 40)), words },
    finiteVector(Float64Array.from(rows, (row) => row * 731 % 50_000 / 10)),
  ];
  const answer: Answer = { columns, chunks: [{ rows: values, vectors }], metadata: {} };
  return async () => {
    let bytes = 0;
    for await (const piece of answer_formats[format].encode(answer)) bytes += piece.length;
    return bytes;
  };
}

/** Finds and sums quarter-hours that have a sample in each minute. */
function summing(): Turn {
  const places = Math.floor(values / 15);
  const rows = 15 * places;
  const cell = Int32Array.from({ length: rows }, (_, row) => row);
  const received_at = new BigInt64Array(rows).fill(BigInt(first_us));
  const value = Float64Array.from(cell, (row) => row * 731 % 50_000 / 10);
  const samples = { rows, cell, received_at, value, holds: new Uint8Array(rows).fill(1) };
  const [carry, light] = [new Int32Array(places).fill(1), new Int32Array(places).fill(32767)];
  return () => {
    const cells = new QuarterCells(carry);
    cells.add({ ...samples, valid: undefined });
    return [cells.wholes(), cells.sums(light)];
  };
}

/** By the first, all that runs often is compiled. */
const turns = [300, 500] as const;
const run_flag = "--run=";

/** How many instructions a process takes that runs a loop so often. */
async function count(loop: string, times: number): Promise<number> {
  const command = new Deno.Command("valgrind", {
    args: [
      ...["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"],
      ...[Deno.execPath(), "run", "-A", "--no-check", "--v8-flags=--single-threaded"],
      ...[import.meta.filename!, `${run_flag}${times}`, loop],
    ],
    stdout: "null",
  });
  const { stderr, success } = await command.output().catch((error) => {
    if (error instanceof Deno.errors.NotFound) throw new Error("valgrind is not on PATH");
    throw error;
  });
  const said = new TextDecoder().decode(stderr);
  const found = /I\s+refs:\s+([\d,]+)/.exec(said);
  if (!success || !found) throw new Error(`valgrind could not run it:\n${said}`);
  return Number(found[1].replaceAll(",", ""));
}

const usage = "deno run -A tests/bench/instructions.ts [LOOP …]\nLOOP: " +
  Object.keys(loops).map((it) => `"${it}"`).join(", ") + "; all of them by default";
explain(usage, (it, place) =>
  // A process that is counted runs one of them.
  it in loops || place === 0 && it.startsWith(run_flag) && (Deno.args[1] ?? "") in loops);

const { out } = systemEffects();
const times = Deno.args.find((it) => it.startsWith(run_flag));
const named = Deno.args.filter((it) => it in loops);
if (times !== undefined) {
  // Under valgrind all is slow: no work gives way to another for that.
  performance.now = () => 0;
  const turn = loops[named[0]]();
  for (let i = 0; i < Number(times.slice(run_flag.length)); i++) await turn();
} else {
  for (const loop of named.length > 0 ? named : Object.keys(loops)) {
    const [few, many] = [await count(loop, turns[0]), await count(loop, turns[1])];
    const each = (many - few) / ((turns[1] - turns[0]) * values);
    out(`${loop.padEnd(20)} ${each.toFixed(0).padStart(6)} instructions a value\n`);
  }
}
