// Ingest on a real database: tags, encodings, duplicates, group commit, failures inside a write.
import assert from "node:assert/strict";
import fc from "../../help/costly.ts";
import { rollup_limits } from "../../../src/model/rollup/limits.ts";
import { sample_limits } from "../../../src/model/samples/limits.ts";
import { openIngest, start_us, type TestIngest } from "./ingest_help.ts";
import { queryRows } from "../../help/query.ts";

const ts = "2026-06-01T12:00:00Z";

async function withIngest(work: (test: TestIngest) => Promise<void>): Promise<void> {
  const test = await openIngest();
  try {
    await work(test);
  } finally {
    await test.close();
  }
}

function counts({ accepted, duplicates, rejected_count }: Awaited<ReturnType<TestIngest["send"]>>) {
  return [accepted, duplicates, rejected_count];
}

Deno.test("unknown tags are taken up with the encoding of their first value", () =>
  withIngest(async ({ send, catalog, stored, database }) => {
    const answer = await send([
      { tag: "f", ts, value: 1.5 },
      { tag: "i", ts, value_int: "9223372036854775807" },
      { tag: "s", ts, value: "on", status_code: 4294967295 - 2 ** 31 },
      { tag: "b", ts, value: false, quality: "uncertain" },
      { tag: "n", ts, quality: "bad", value: 7 },
    ]);
    assert.deepEqual(counts(answer), [5, 0, 0]);
    const encodings = catalog.tags.map((tag) => [tag.sensor_tag, tag.encoding, tag.declared]);
    assert.deepEqual(encodings.sort(), [
      ["b", "integer", false],
      ["f", "float", false],
      ["i", "integer", false],
      ["n", null, false],
      ["s", "string", false],
    ]);
    assert.deepEqual(await stored(), [
      "b 0 - 0 - 1 -",
      "f 0 1.5 - - - -",
      "i 0 - 9223372036854775807 - - -",
      "n 0 - - - 2 -",
      "s 0 - - on 1 2147483647",
    ]);
    const kept = await database.read((connection) =>
      queryRows(connection, "SELECT sensor_tag, encoding FROM tag ORDER BY sensor_tag")
    );
    assert.deepEqual(kept.map((tag) => tag.encoding), [
      "integer",
      "float",
      "integer",
      null,
      "string",
    ]);
  }));

Deno.test("a value that does not fit its tag's encoding is rejected, one that fits converts", () =>
  withIngest(async ({ send, stored }) => {
    const first = [{ tag: "f", ts, value: 1 }, { tag: "i", ts, value_int: 1 }, {
      tag: "s",
      ts,
      value: "",
    }];
    assert.deepEqual(counts(await send(first)), [3, 0, 0]);
    const at = (second: number) => `2026-06-01T12:00:0${second}Z`;
    const answer = await send([
      { tag: "f", ts: at(1), value_int: "9007199254740992" },
      { tag: "f", ts: at(2), value_int: "9007199254740993" },
      { tag: "f", ts: at(3), value: true },
      { tag: "f", ts: at(4), value: "x" },
      { tag: "i", ts: at(1), value: -3 },
      { tag: "i", ts: at(2), value: 1.5 },
      { tag: "i", ts: at(3), value: 1e17 },
      { tag: "i", ts: at(4), value_int: "-9223372036854775808" },
      { tag: "s", ts: at(1), value: 5 },
      { tag: "s", ts: at(2), value: 5, quality: "bad" },
    ]);
    assert.deepEqual(counts(answer), [5, 0, 5]);
    assert.deepEqual(answer.rejected.map(({ line }) => line), [2, 4, 6, 7, 9]);
    assert.match(answer.rejected[0].reason, /beyond 2\^53/);
    assert.match(answer.rejected[1].reason, /value is a text, and the tag holds floats$/);
    assert.match(answer.rejected[2].reason, /not a whole number/);
    assert.deepEqual((await stored()).filter((row) => !row.includes(" 0 ")), [
      "f 1000000 9007199254740992.0 - - - -",
      "f 3000000 1.0 - - - -",
      "i 1000000 - -3 - - -",
      "i 4000000 - -9223372036854775808 - - -",
      "s 2000000 - - - 2 -",
    ]);
  }));

Deno.test("rows too far ahead and values that are not finite are rejected with a reason", () =>
  withIngest(async ({ add, catalog }) => {
    const answer = await add([
      { tag: "a", ts_us: start_us + sample_limits.future_us, value: 1 },
      { tag: "b", ts_us: start_us + sample_limits.future_us + 1, value: 1 },
      { tag: "c", ts_us: start_us, value: NaN },
      { tag: "d", ts_us: start_us, value: Infinity },
      { tag: "e", ts_us: start_us, value: -Infinity, quality: 2 },
    ]);
    assert.deepEqual(counts(answer), [2, 0, 3]);
    assert.match(answer.rejected[0].reason, /more than 10 minutes in the future/);
    assert.match(answer.rejected[1].reason, /no value/);
    assert.match(answer.rejected[2].reason, /finite/);
    assert.deepEqual(catalog.tags.map((tag) => tag.sensor_tag).sort(), ["a", "e"]);
  }));

Deno.test("what changes of a tag counts for rows of names that are known", () =>
  withIngest(async ({ send, catalog }) => {
    const old = { tag: "f", ts: "2026-05-01T00:00:00Z", value: 1 };
    for (const value of [1, 2]) {
      assert.deepEqual(counts(await send([{ ...old, value }])), [1, 0, 0]);
    }
    const { tag_no } = catalog.findTag(1, "signal", "f")!;
    const gone_day = start_us / 86_400e6 - 10;
    const gone = { samples: gone_day, minutes: 0, quarters: 0, forecasts: 0 };
    catalog.putHorizons([{ tag_no, ...gone }]);
    const { rejected } = await send([{ ...old, value: 3 }]);
    assert.match(rejected[0].reason, /too long ago/);
  }));

Deno.test("the same row again is a duplicate, another of its instant replaces it", () =>
  withIngest(async ({ send, stored, clock, database }) => {
    const row = { tag: "a", ts, value: 1, quality: "good" };
    assert.deepEqual(counts(await send([row, row, row])), [1, 2, 0]);
    clock.advance(1000);
    assert.deepEqual(counts(await send([row])), [0, 1, 0]);
    assert.deepEqual(counts(await send([{ ...row, value: 2 }, { ...row, value: 3 }])), [2, 0, 0]);
    assert.deepEqual(await stored(), ["a 0 3.0 - - 0 -"]);
    assert.deepEqual(counts(await send([{ ...row, value: 3, quality: undefined }])), [1, 0, 0]);
    assert.deepEqual(counts(await send([{ ...row, value: null, quality: "bad" }])), [1, 0, 0]);
    assert.deepEqual(await stored(), ["a 0 - - - 2 -"]);
    const [{ received }] = await database.read((connection) =>
      queryRows<{ received: number }>(connection, "SELECT max(received_at) AS received FROM sample")
    );
    assert.equal(received, database.committed_us);
  }));

Deno.test("late rows are held against what an earlier process stored", async () => {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  await Deno.remove(path);
  const rows = [3, 1, 2].map((second) => ({
    tag: "a",
    ts: `2026-06-01T12:00:0${second}Z`,
    value: second,
  }));
  try {
    const first = await openIngest(path);
    assert.deepEqual(counts(await first.send(rows)), [3, 0, 0]);
    await first.close();
    const second = await openIngest(path);
    const again = [...rows, { ...rows[0], value: 9 }, { tag: "b", ts, value: 1 }];
    // The row that is sent twice with two values replaces the stored one: both count as accepted.
    assert.deepEqual(counts(await second.send(again)), [3, 2, 0]);
    assert.deepEqual(await second.stored(), [
      "a 1000000 1.0 - - - -",
      "a 2000000 2.0 - - - -",
      "a 3000000 9.0 - - - -",
      "b 0 1.0 - - - -",
    ]);
    await second.close();
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("rows in any split, order and repetition end as the same samples", () => {
  const row = fc.record({
    tag: fc.constantFrom("a", "b", "c"),
    second: fc.integer({ min: 0, max: 20 }),
  });
  return fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(row, { maxLength: 8 }), { maxLength: 8 }),
      async (bodies) => {
        const test = await openIngest();
        try {
          const seen = new Set<string>();
          let repeats = 0;
          for (const body of bodies) {
            const answer = await test.add(
              body.map(({ tag, second }) => ({
                tag,
                ts_us: start_us + second * 1e6,
                value: second,
              })),
            );
            const before = seen.size;
            body.forEach(({ tag, second }) =>
              seen.add(`${tag} ${second * 1e6} ${second}.0 - - - -`)
            );
            assert.equal(answer.accepted, seen.size - before);
            repeats += answer.duplicates;
          }
          assert.equal(repeats + seen.size, bodies.flat().length);
          assert.deepEqual([...await test.stored()].sort(), [...seen].sort());
        } finally {
          await test.close();
        }
      },
    ),
    { numRuns: 15 },
  );
});

/** A kind of row, what is stored of it, and of what its tag holds by itself: floats. */
const kinds: Readonly<Record<string, { row: object; stored?: string }>> = {
  float: { row: { value: 1.5 }, stored: "1.5 - - - -" },
  good: { row: { value: -2, quality: "good" }, stored: "-2.0 - - 0 -" },
  "minus zero": { row: { value: -0 }, stored: "0.0 - - - -" },
  state: { row: { value: 7, status_code: 0x40000000 }, stored: "7.0 - - 1 1073741824" },
  whole: { row: { value_int: "3" }, stored: "3.0 - - - -" },
  bad: { row: { value: 5, quality: "bad" }, stored: "- - - 2 -" },
  text: { row: { value: "off" } },
  "too large for a float": { row: { value_int: "9007199254740993" } },
};

Deno.test("rows among others are taken and told as each is by itself", () => {
  const row = fc.record({
    tag: fc.constantFrom("a", "b", "c"),
    second: fc.integer({ min: 0, max: 12 }),
    kind: fc.constantFrom("float", "float", "good", ...Object.keys(kinds), "ahead"),
  });
  return fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(row, { maxLength: 40 }), { maxLength: 5 }),
      (bodies) =>
        withIngest(async ({ send, stored }) => {
          const first = { ts: "2026-06-01T11:00:00Z", value: 0.5 };
          await send(["a", "b", "c"].map((tag) => ({ ...first, tag })));
          const kept = new Map<string, string>();
          for (const body of bodies) {
            const staged = new Map<string, string>();
            const told = { accepted: 0, corrected: 0, duplicates: 0, rejected: [] as number[] };
            for (const [i, { tag, second, kind }] of body.entries()) {
              const stored = kinds[kind]?.stored;
              const key = `${tag} ${second * 1e6}`;
              if (stored === undefined) told.rejected.push(i + 1);
              else if (staged.get(key) === stored) told.duplicates++;
              else staged.set(key, stored), told.accepted++;
            }
            for (const [key, stored] of staged) {
              if (kept.get(key) === stored) told.accepted--, told.duplicates++;
              else if (kept.has(key)) told.corrected++;
              kept.set(key, stored);
            }
            const answer = await send(body.map(({ tag, second, kind }) => ({
              tag,
              ts: new Date(start_us / 1000 + second * 1000 + (kind === "ahead" ? 3600e3 : 0)),
              ...(kinds[kind]?.row ?? { value: 1 }),
            })));
            assert.deepEqual(
              { ...told, rejected: told.rejected.slice(0, answer.rejected.length) },
              {
                accepted: answer.accepted,
                corrected: answer.corrected,
                duplicates: answer.duplicates,
                rejected: answer.rejected.map(({ line }) => line),
              },
            );
            assert.equal(answer.rejected_count, told.rejected.length);
          }
          const expected = [...kept].map(([key, stored]) => `${key} ${stored}`).sort();
          const found = (await stored()).filter((row) => !/^. -/.test(row)).sort();
          assert.deepEqual(found, expected);
        }),
    ),
    { numRuns: 15 },
  );
});

Deno.test("concurrent bodies share commits and are each counted for themselves", () =>
  withIngest(async ({ add, database, stored }) => {
    const stamps = new Set<number>();
    const answers = await Promise.all(Array.from({ length: 50 }, async (_, body) => {
      const answer = await add(Array.from({ length: 10 }, (_, i) => ({
        tag: `t${i}`,
        ts_us: start_us + (body >> 1) * 1000,
        value: i,
      })));
      stamps.add(database.committed_us);
      return answer;
    }));
    assert.ok(stamps.size <= 3, `${stamps.size} commits`);
    assert.equal(answers.reduce((sum, answer) => sum + answer.accepted, 0), 250);
    assert.equal(answers.reduce((sum, answer) => sum + answer.duplicates, 0), 250);
    assert.ok(answers.every((answer) => answer.accepted + answer.duplicates === 10));
    assert.equal((await stored()).length, 250);
  }));

Deno.test("a large body takes several transactions and lets others in between", () =>
  withIngest(async ({ add, database }) => {
    const rows = 2 * sample_limits.rows_per_transaction + 20_000;
    const order: string[] = [];
    const large = add(Array.from({ length: rows }, (_, i) => ({
      tag: `t${i % 7}`,
      ts_us: start_us - rows + i,
      value: i,
    }))).then((answer) => (order.push("large"), answer));
    const small = add([{ tag: "x", ts_us: start_us, value: 1 }]).then(() => order.push("small"));
    assert.deepEqual(counts(await large), [rows, 0, 0]);
    await small;
    assert.deepEqual(order, ["small", "large"]);
    const [{ stamps, most }] = await database.read((connection) =>
      queryRows<{ stamps: number; most: number }>(
        connection,
        "SELECT count(*) AS stamps, max(n) AS most FROM " +
          "(SELECT count(*) AS n FROM sample GROUP BY received_at)",
      )
    );
    // Two whole slices, the small body by itself, and the rest.
    assert.equal(stamps, 4);
    assert.ok(most <= sample_limits.rows_per_transaction);
  }));

Deno.test("the slices of a large body shrink while others come, and take turns with them", () =>
  withIngest(async ({ add, database }) => {
    const rows = 4 * sample_limits.rows_per_transaction;
    let is_stored = false;
    const large = add(Array.from({ length: rows }, (_, i) => ({
      tag: `t${i % 7}`,
      ts_us: start_us - rows + i,
      value: i,
    }))).then((answer) => (is_stored = true, answer));
    let sent = 0;
    while (!is_stored) await add([{ tag: "x", ts_us: start_us + sent++, value: 1 }]);
    assert.deepEqual(counts(await large), [rows, 0, 0]);
    const sizes = await database.read((connection) =>
      queryRows<{ n: number }>(
        connection,
        "SELECT count(*)::INTEGER AS n FROM sample GROUP BY received_at ORDER BY received_at",
      )
    );
    const own = sizes.map(({ n }) => n);
    const least = sample_limits.rows_per_transaction / 4;
    assert.ok(own.every((n, i) => n === 1 || own[i + 1] === 1 || i === own.length - 1));
    assert.ok(own.filter((n) => n === least).length > 10);
  }));

Deno.test("a transaction takes fewer rows where their texts are long", () =>
  withIngest(async ({ add, database }) => {
    const value = "x".repeat(sample_limits.text_value_length);
    const rows = Array.from({ length: 4000 }, (_, i) => ({ tag: "a", ts_us: start_us + i, value }));
    assert.deepEqual(counts(await add(rows)), [4000, 0, 0]);
    const [{ most }] = await database.read((connection) =>
      queryRows<{ most: number }>(
        connection,
        "SELECT max(n)::INTEGER AS most FROM " +
          "(SELECT count(*) AS n FROM sample GROUP BY received_at)",
      )
    );
    const room = sample_limits.rows_per_transaction * sample_limits.text_row_length;
    assert.equal(most, Math.ceil(room / sample_limits.text_value_length));
  }));

Deno.test("a write that fails leaves memory as it was", () =>
  withIngest(async ({ add, catalog, database, stored }) => {
    await add([{ tag: "a", ts_us: start_us, value: 1 }]);
    await database.write(({ connection }) =>
      connection.script("ALTER TABLE sample RENAME TO hidden")
    );
    const rows = [
      { tag: "a", ts_us: start_us + 5, value: 5 },
      { tag: "new", ts_us: start_us, value: 1n },
    ];
    await assert.rejects(add(rows));
    assert.deepEqual(catalog.tags.map((tag) => tag.sensor_tag), ["a"]);
    await database.write(({ connection }) =>
      connection.script("ALTER TABLE hidden RENAME TO sample")
    );
    assert.deepEqual(counts(await add([{ tag: "a", ts_us: start_us + 3, value: 3 }])), [1, 0, 0]);
    assert.deepEqual(counts(await add(rows)), [2, 0, 0]);
    assert.deepEqual(counts(await add(rows)), [0, 2, 0]);
    assert.equal((await stored()).length, 4);
    assert.equal(catalog.tags.length, 2);
  }));

Deno.test("expected values and forecasts have their own places", () =>
  withIngest(async ({ send, catalog, database }) => {
    assert.deepEqual(counts(await send([{ tag: "p", ts, value: 1 }])), [1, 0, 0]);
    assert.deepEqual(counts(await send([{ tag: "p", ts, value: 2 }], "model")), [1, 0, 0]);
    const model = catalog.findTag(1, "model", "p");
    assert.deepEqual([model?.encoding, model?.carry_s], ["float", rollup_limits.model_carry_s]);
    const row = { tag: "p", ts: "2026-06-02T00:00:00Z", issued_at: ts, value: 4 };
    assert.deepEqual(counts(await send([row, row], "forecast")), [1, 1, 0]);
    assert.deepEqual(counts(await send([row, { ...row, value: 5 }], "forecast")), [2, 0, 0]);
    assert.deepEqual(counts(await send([{ ...row, value: 5 }], "forecast")), [0, 1, 0]);
    const ahead = { ...row, issued_at: "2026-06-01T13:00:00Z" };
    assert.deepEqual(counts(await send([ahead], "forecast")), [0, 0, 1]);
    const kept = await database.read((connection) =>
      queryRows(connection, "SELECT tag_no, value FROM forecast ORDER BY value")
    );
    assert.deepEqual(kept, [{ tag_no: catalog.findTag(1, "signal", "p")?.tag_no ?? -1, value: 5 }]);
  }));
