// The built screens: as written, small, and with a catalogue of each language.
import { equal, ok } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { build_paths, buildWeb } from "../../build_web.ts";

/** What the shell may weigh, and a page beside it, in bytes as gzip packs them. */
const most = { shell: 80_000, page: 60_000 };

const read = (path: string) => Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
const texts = { built: await read(build_paths.built), files: await read(build_paths.files) };
const built = JSON.parse(texts.built);
const files = JSON.parse(texts.files);

const packed = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + gzipSync(files[name], { level: 9 }).length, 0);

/** The files that `name` loads at once, itself among them. */
function* loadedWith(name: string, seen = new Set<string>()): Generator<string> {
  if (seen.has(name)) return;
  seen.add(name);
  yield name;
  const imports = files[name].matchAll(/(?:from|import)"\.\/([\w.-]+)"/g);
  for (const [, next] of imports) yield* loadedWith(next, seen);
}

Deno.test("what is embedded is what is written: else run `deno task web`", async () => {
  const { built, files } = await buildWeb();
  ok(built === texts.built && files === texts.files);
});

Deno.test("the shell and each page stay small", () => {
  const shell = new Set([...loadedWith(built.script), built.style]);
  ok(packed(shell) <= most.shell, `the shell has ${packed(shell)} bytes`);
  for (const [page, names] of Object.entries<string[]>(built.pages)) {
    const more = new Set(names.flatMap((name) => [...loadedWith(name)])).difference(shell);
    ok(packed(more) <= most.page, `${page} has ${packed(more)} bytes`);
  }
});

Deno.test("every page of the navigation is built, and loads what it names", () => {
  ok(Object.keys(built.pages).includes("overview"));
  const names = [built.script, built.style, ...Object.values<string[]>(built.pages).flat()];
  equal(names.filter((name) => !Object.hasOwn(files, name)).length, 0);
});
