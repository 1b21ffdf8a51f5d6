// Tests the README and the folder docs: short enough, every page reached, every link whole.
import { ok } from "node:assert/strict";
import { readSource, readSources } from "./help/source.ts";

const readme = readSource("README.md");
const pages = [readme, ...readSources("docs", [".md"])];

Deno.test("the README has at most 200 lines and a glossary of at most 30 words", () => {
  ok(readme.lines.length <= 200, `${readme.lines.length} lines`);
  const [, glossary] = readme.text.split("## Glossary");
  const words = glossary.split("\n## ")[0].match(/^\| \*\*/gm)!;
  ok(words.length <= 30, `${words.length} words`);
});

Deno.test("the README leads to every page of docs, and no link is broken", async () => {
  for (const { path } of pages.slice(1)) ok(readme.text.includes(`](${path})`), path);
  for (const { path, text } of pages) {
    for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      const { pathname, hash } = new URL(link, `file:///${path}`);
      const target = new URL(`..${pathname}`, import.meta.url);
      const isThere = await Deno.stat(target).then(() => true, () => false);
      ok(isThere, `${path}: ${link}`);
      const heads = hash && readSource(pathname.slice(1)).text.match(/^#+ .+$/gm)!;
      if (heads) ok(heads.map(anchorOf).includes(hash), `${path}: ${link}`);
    }
  }
});

Deno.test("no page waits for a figure that only the service puts in", () => {
  for (const { path, text } of pages) {
    ok(!/\{\{\w+:/.test(text.replaceAll(/`[^`]*`/g, "")), path);
  }
});

/** The anchor that viewers of Markdown give a heading. */
function anchorOf(head: string): string {
  return `#${
    head.replace(/^#+ /, "").toLowerCase().replaceAll(/[^\w -]/g, "").replaceAll(" ", "-")
  }`;
}

Deno.test("the page of the architecture is short, and every file that it names is there", () => {
  const { lines, text } = readSource("ARCHITECTURE.md");
  ok(lines.length <= 130, `${lines.length} lines`);
  const files = ["src", "tests", "docs"].flatMap((folder) => readSources(folder, [".ts", ".md"]))
    .map(({ path }) => path);
  for (const [, path] of text.matchAll(/`((?:\w+\/)+\w+\.(?:ts|md))`/g)) {
    ok(files.some((file) => file === path || file === `src/${path}`), `there is no ${path}`);
  }
});
