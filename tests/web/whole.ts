// What each page must hold at any time, in whatever state: it fits, nothing errs, and everybody
// can read and use it.
import { deepEqual, ok } from "node:assert/strict";
import axe_source from "axe-core/axe.min.js" with { type: "text" };
import type { Page } from "playwright-core";
import type { ScreenWindow } from "./browser.ts";

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/** Words of letters alone that a line's end cuts in two. */
const words_cut = `(() => {
  const cut = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    for (const { 0: word, index } of text.data.matchAll(/(?<!\\S)\\p{L}{2,}(?!\\S)/gu)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set(Array.from(range.getClientRects(), ({ bottom }) => bottom));
      if (lines.size > 1) cut.push(word);
    }
  }
  return cut;
})()`;

/** Throws where a page is wider than its window, or a line's end cuts a word of it in two. */
export async function assertFits(page: Page): Promise<void> {
  const wider = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
  ok(wider as number <= 0, "too wide");
  deepEqual(await page.evaluate(words_cut), [], "words cut in two");
}

/** Throws where a page does not fit, has erred, or axe finds something in it. */
export async function assertWhole({ page, errors }: ScreenWindow): Promise<void> {
  await assertFits(page);
  if (!await page.evaluate("'axe' in window")) await page.evaluate(axe_source);
  const found: Violation[] = await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then((it) => it.violations)",
  );
  deepEqual(found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`), []);
  deepEqual(errors, []);
}
