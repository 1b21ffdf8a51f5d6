// The parts that every page is made of: its frame, tables, code, and text with links.
import { html } from "@hono/hono/html";

/** A piece of a page; what is put into it is escaped. */
export type Html = ReturnType<typeof html>;

/** A whole page. */
export function page(title: string, parts: readonly Html[]): Html {
  return html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>${title}</title>
        <link rel="stylesheet" href="/docs/reference.css">
        <script type="module" src="/docs/reference.js"></script>
      </head>
      <body>
        <header id="tools"></header>
        <main>${parts}</main>
      </body>
    </html>
  `;
}

/** A table that scrolls by itself where it is too wide. */
export function table(heads: readonly string[], rows: readonly Html[]): Html {
  const cells = heads.map((head) =>
    head === "" ? html`<td></td>` : html`<th scope="col">${head}</th>`
  );
  return html`
    <div class="scroll" tabindex="0">
      <table>
        <thead>
          <tr>${cells}</tr>
        </thead>
        <tbody>${rows}</tbody>
      </table>
    </div>
  `;
}

/** A row of a table. */
export function row(cells: readonly unknown[]): Html {
  return html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
}

/** A row for each word and what it means. */
export function wordRows(docs: Readonly<Record<string, string>>): readonly Html[] {
  return Object.entries(docs).map(([word, doc]) => row([code(word), doc]));
}

/** A word as code. */
export function code(text: string): Html {
  const parts = text.split(name_joint);
  return html`<code>${parts.map((part, i) => i > 0 ? html`<wbr>${part}` : part)}</code>`;
}

/** Where a long name may go on in the next line of a narrow cell: after a joint within it. */
export const name_joint = /(?<=\w[_./])(?=\w)/;

/** Words as code, with commas between them. */
export function listed(words: readonly string[]): readonly Html[] {
  return words.map((word, i) => html`${i > 0 ? ", " : ""}${code(word)}`);
}

/** Text whose addresses of pages are links, and whose `words` between backticks are code. */
export function prose(text: string): readonly (Html | string)[] {
  return text.split(/(\/docs\/\w+|`[^`]+`)/).map((part, i) => {
    if (i % 2 === 0) return part;
    return part.startsWith("`") ? code(part.slice(1, -1)) : html`<a href="${part}">${part}</a>`;
  });
}
