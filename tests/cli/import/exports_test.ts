// Exports of portals and loggers: in with exact counts, sums and times, or refused with a flag.
import assert from "node:assert/strict";
import { counted } from "../../../src/base/count.ts";
import { portalExports } from "./exports.ts";
import { withFolder } from "./folder.ts";

Deno.test("import: there are two exports and more of each of sixteen kinds", () => {
  const all = portalExports();
  assert.equal(all.length, 33);
  assert.equal(new Set(all.map(({ kind }) => kind)).size, 33);
});

Deno.test("import: exports come in with exact counts and sums, or are refused", async (test) => {
  await withFolder(async ({ run, write, printed }) => {
    for (const [i, { kind, content, args, wanted }] of portalExports().entries()) {
      await test.step(kind, async () => {
        const file = await write(`export-${i}`, content);
        const prefix = `${i}/`;
        printed.out = printed.err = "";
        const code = await run("import", file, "--project", "plant", "--prefix", prefix, ...args);
        if (wanted instanceof RegExp) {
          assert.equal(code, 1, printed.out);
          assert.match(printed.err, wanted);
          return;
        }
        assert.equal(code, 0, printed.err + printed.out);
        const { values, texts: told = 0 } = wanted;
        assert(
          printed.out.includes(`${values + told} accepted, 0 duplicates, 0 rejected`),
          printed.out,
        );
      });
    }
    printed.out = "";
    const sql = "SELECT split_part(sensor_tag, '/', 1) AS export, count(value) AS n, " +
      "count(value_str) AS texts, sum(value) AS total, count(DISTINCT tag_no) AS tags, " +
      "min(ts) AS from_us, max(ts) AS to_us FROM sample JOIN tag USING (tag_no) GROUP BY export";
    assert.equal(await run("query", sql, "--json"), 0, printed.err);
    const found = new Map(
      printed.out.trim().split("\n").map((line) => {
        const { export: place, ...sums } = JSON.parse(line);
        return [place, sums];
      }),
    );
    for (const [i, { kind, wanted }] of portalExports().entries()) {
      await test.step(`${kind}, as stored`, () => {
        if (wanted instanceof RegExp) return assert.equal(found.get(`${i}`), undefined);
        const { n, texts, total, tags, from_us, to_us } = found.get(`${i}`);
        const at = (us: number) => new Date(us / 1000).toISOString().replace(".000Z", "Z");
        assert.deepEqual(
          { values: n, texts, tags, from: at(from_us), to: at(to_us) },
          {
            ...{ values: wanted.values, texts: wanted.texts ?? 0 },
            ...{ tags: wanted.tags, from: wanted.from, to: wanted.to },
          },
        );
        assert(Math.abs(total - wanted.sum) < 1e-6 * wanted.sum, `${total} ${wanted.sum}`);
      });
    }
  });
});

Deno.test("import: what a dry run proposes reads each export alike", async (test) => {
  await withFolder(async ({ run, write, printed }) => {
    for (const [i, { kind, content, args, wanted }] of portalExports().entries()) {
      if (wanted instanceof RegExp) continue;
      await test.step(kind, async () => {
        const file = await write(`export-${i}`, content);
        const flags = ["--dry-run", "--project", "plant", "--map", `${file}.toml`];
        const understood = async (...more: string[]) => {
          printed.out = printed.err = "";
          assert.equal(await run("import", file, ...flags, ...more), 0, printed.err);
          return printed.out.split("\n").filter((line) => !/^ {2}(map|time) /.test(line));
        };
        const first = await understood(...args);
        const { values, texts = 0, tags } = wanted;
        assert(
          first[0].includes(`${values + texts} values of ${counted(tags, "tag")}, 0 rejected`),
          first[0],
        );
        assert.deepEqual(await understood(), first);
      });
    }
  });
});
