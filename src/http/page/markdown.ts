// Markdown as HTML with the house's headings, tables and code; it is loaded with the first page.
import { Marked, Renderer, type Tokens } from "marked";
import { assert } from "../../base/assert.ts";
import { name_joint } from "./html.ts";

/** A second-level heading; its title is HTML. */
export type Head = { readonly id: string; readonly title: string };

/** A text as HTML: its title, its second-level headings, and all of it. */
export type Rendered = {
  readonly title: string;
  readonly heads: readonly Head[];
  readonly body: string;
};

/**
 * Renders a text. `## Life {#life}` has the anchor `life`, and `## Its life` has `its-life`; HTML
 * in the text is refused.
 */
export function render(text: string): Rendered {
  const renderer = new HouseRenderer();
  const body = new Marked().parse(text, { renderer, async: false });
  return { title: renderer.title, heads: renderer.heads, body };
}

class HouseRenderer extends Renderer {
  title = "";
  readonly heads: Head[] = [];

  override heading({ tokens, depth }: Tokens.Heading): string {
    const text = this.parser.parseInline(tokens);
    if (depth === 1) {
      this.title = text;
      return `<h1>${text}</h1>\n`;
    }
    const [, title, id] = /^(.*) \{#([\w-]+)\}$/.exec(text) ?? [text, text, anchorOf(text)];
    if (depth === 2) this.heads.push({ id, title });
    return `<h${depth} id="${id}">${title}</h${depth}>\n`;
  }

  override code(token: Tokens.Code): string {
    return super.code(token).replace(/^<pre><code[^>]*>/, '<pre tabindex="0">')
      .replace("</code></pre>", "</pre>");
  }

  override codespan(token: Tokens.Codespan): string {
    return super.codespan(token).split(name_joint).join("<wbr>");
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

/** The anchor that readers of Markdown give a heading: its words in small letters, joined. */
function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(/<[^>]*>|&\w+;|[^\w\s-]/g, "").trim().replaceAll(
    /\s/g,
    "-",
  );
}
