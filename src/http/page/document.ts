// A page that is written in Markdown: anchors, contents, and placeholders filled from code.
import { html, raw } from "@hono/hono/html";
import { Marked, Renderer, type Tokens } from "marked";
import { assert } from "../../base/assert.ts";
import { code, type Html, page } from "./html.ts";
import { limitText, settingText } from "./quantity.ts";

/** What stands for each placeholder of a page. */
export type Fills = Readonly<Record<string, Html | string | number | readonly (Html | string)[]>>;

/**
 * The page of a Markdown text. Its first line is the title (`# Alarms`). `## Life {#life}` has the
 * anchor `life`. `{{name}}`, in a line of text or in a paragraph of its own, is replaced by the
 * fill of that name. Every page knows `{{contents}}`, a list of links to its second-level headings,
 * `{{limit:NAME}}` and `{{setting:NAME}}`. A name without a fill is an error, and so is a fill that
 * the text does not use: each word that the code knows is explained, and no other.
 */
export function documentPage(text: string, fills: Fills): Html {
  const renderer = new DocumentRenderer();
  const body = new Marked().parse(text, { renderer, async: false });
  const known: Fills = { ...fills, contents: contentsOf(renderer.heads) };
  const pieces = body.replaceAll(/<p>(\{\{[^}]+\}\})<\/p>/g, "$1").split(/\{\{([^}]+)\}\}/);
  const used = new Set(pieces.filter((_, i) => i % 2 === 1));
  const unused = Object.keys(fills).filter((name) => !used.has(name));
  assert(unused.length === 0, `the page does not use ${unused.join(", ")}`);
  const parts = pieces.map((piece, i) => i % 2 === 0 ? raw(piece) : fillOf(piece, known));
  return page(renderer.title, [html`${parts}`]);
}

/** A placeholder for each word of a kind: `{{status:open}}` gives the word as code. */
export function wordFills(kind: string, words: readonly string[]): Fills {
  return Object.fromEntries(words.map((word) => [`${kind}:${word}`, code(word)]));
}

type Head = { readonly id: string; readonly title: string };

/** HTML with the house's tables, code and anchors; Markdown's own HTML is refused. */
class DocumentRenderer extends Renderer {
  title = "";
  readonly heads: Head[] = [];

  override heading({ tokens, depth }: Tokens.Heading): string {
    const text = this.parser.parseInline(tokens);
    const [, title, id] = /^(.*) \{#([\w-]+)\}$/.exec(text) ?? [text, text, ""];
    if (depth === 1) this.title = title;
    if (depth === 2) this.heads.push({ id, title });
    return `<h${depth}${id && ` id="${id}"`}>${title}</h${depth}>\n`;
  }

  override code(token: Tokens.Code): string {
    return super.code(token).replace(/^<pre><code[^>]*>/, '<pre tabindex="0">')
      .replace("</code></pre>", "</pre>");
  }

  override table(token: Tokens.Table): string {
    return `<div class="scroll" tabindex="0">\n${super.table(token)}</div>\n`;
  }

  override tablecell(token: Tokens.TableCell): string {
    return super.tablecell(token).replace(/^<th/, '<th scope="col"');
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    assert(false, `a page has HTML of its own: ${text}`);
    return "";
  }
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
