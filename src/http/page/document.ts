// A page that is written in Markdown, with its contents and what its placeholders stand for.
import { html, raw } from "@hono/hono/html";
import { assert } from "../../base/assert.ts";
import { code, type Html, page } from "./html.ts";
import type { Head } from "./markdown.ts";
import { limitText, settingText } from "./quantity.ts";

/** What stands for each placeholder of a page. */
export type Fills = Readonly<Record<string, Html | string | number | readonly (Html | string)[]>>;

/**
 * The page of a Markdown text. Its first line is the title (`# Alarms`). `## Life {#life}` has the
 * anchor `life`. `{{name}}`, in a line of text or in a paragraph of its own, is replaced by the
 * fill of that name. Every page knows `{{contents}}`, a list of links to its second-level headings,
 * `{{limit:ROOM.NAME}}` and `{{setting:NAME}}`. A name without a fill is an error, and so is a fill
 * that the text does not use: each word that the code knows is explained, and no other.
 */
export async function documentPage(text: string, fills: Fills): Promise<string> {
  const { render } = await import("./markdown.ts");
  const { title, heads, body } = render(text);
  const known: Fills = { ...fills, contents: contentsOf(heads) };
  const pieces = body.replaceAll(/<p>(\{\{[^}]+\}\})<\/p>/g, "$1").split(/\{\{([^}]+)\}\}/);
  const used = new Set(pieces.filter((_, i) => i % 2 === 1));
  const unused = Object.keys(fills).filter((name) => !used.has(name));
  assert(unused.length === 0, `the page does not use ${unused.join(", ")}`);
  const parts = pieces.map((piece, i) => i % 2 === 0 ? raw(piece) : fillOf(piece, known));
  return String(await page(title, [html`${parts}`]));
}

/** A placeholder for each word of a kind: `{{status:open}}` gives the word as code. */
export function wordFills(kind: string, words: readonly string[]): Fills {
  return Object.fromEntries(words.map((word) => [`${kind}:${word}`, code(word)]));
}

function contentsOf(heads: readonly Head[]): Html {
  const items = heads.map(({ id, title }) => html`<li><a href="#${id}">${raw(title)}</a></li>`);
  return html`
    <nav aria-label="Contents">
      <ul>${items}</ul>
    </nav>
  `;
}

function fillOf(name: string, fills: Fills): Fills[string] {
  if (Object.hasOwn(fills, name)) return fills[name];
  const [kind, of] = name.split(":");
  if (kind === "limit") return limitText(of);
  if (kind === "setting") return settingText(of);
  assert(false, `the page has {{${name}}}, which nothing fills`);
}
