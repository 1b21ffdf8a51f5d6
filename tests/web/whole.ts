// What each page must hold at any time, in whatever state: it fits, nothing errs, and everybody
// can read and use it.
import { deepEqual, ok } from "node:assert/strict";
import axe_source from "axe-core/axe.min.js" with { type: "text" };
import type { ScreenWindow } from "./browser.ts";

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/** Throws where a page is wider than its window, has erred, or axe finds something in it. */
export async function assertWhole({ page, errors }: ScreenWindow): Promise<void> {
  const wider = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
  ok(wider as number <= 0, "too wide");
  await page.evaluate(axe_source);
  const found: Violation[] = await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then((it) => it.violations)",
  );
  deepEqual(found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`), []);
  deepEqual(errors, []);
}
