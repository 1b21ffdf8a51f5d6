// Exports of portals over HTTP: the same counts, sums and refusals as by the command line.
import { deepEqual, equal, ok } from "node:assert/strict";
import { portalExports } from "../../cli/import/exports.ts";
import { stored, withDoor } from "./import_help.ts";

Deno.test("exports of portals come in by HTTP as they do by the command line", async (test) => {
  await withDoor(async (door) => {
    for (const [i, { kind, content, args, wanted }] of portalExports().entries()) {
      await test.step(kind, async () => {
        const { import_id } = await door.send(content);
        const { state, detail, asked, report } = await door.work(import_id, "import", {
          ...settingsOf(args),
          prefix: `${i}/`,
        });
        if (wanted instanceof RegExp) {
          equal(state, "refused");
          const flags = [...wanted.source.matchAll(/--([a-z-]+)/g)]
            .map(([, flag]) => flag.replaceAll("-", "_"));
          for (const flag of flags) ok(asked.includes(flag), `${flag}: ${detail}`);
          await door.call("DELETE", `/${import_id}`);
          return;
        }
        equal(state, "imported", detail ?? "");
        const { accepted, duplicates, rejected_count } = report!;
        const { values, texts = 0, tags } = wanted;
        deepEqual([accepted, duplicates, rejected_count], [values + texts, 0, 0]);
        const where = `starts_with(sensor_tag, '${i}/')`;
        const { total, from, to, ...counts } = await stored(door, where);
        deepEqual(counts, { n: values, texts, tags });
        deepEqual([from, to], [wanted.from, wanted.to].map((it) => Date.parse(it) * 1000));
        ok(Math.abs(total - wanted.sum) < 1e-6 * wanted.sum, `${total} ${wanted.sum}`);
      });
    }
  });
});

/** The flags of the command line as settings: a flag and its value each. */
function settingsOf(args: readonly string[]): Record<string, unknown> {
  const said: Record<string, string | string[]> = {};
  for (let i = 0; i < args.length; i += 2) {
    const name = args[i].slice(2).replaceAll("-", "_");
    said[name] = name in said ? [said[name], args[i + 1]].flat() : args[i + 1];
  }
  return said;
}
