// Tests that the pages of which the service keeps views are those that there are.
import { deepEqual } from "node:assert/strict";
import { view_pages } from "../../../src/model/views/view.ts";
import { pages } from "../../../src/web/shell/pages.ts";

Deno.test("every page of the screens can have saved views, but for that of imports", () => {
  // What it shows goes with its files.
  deepEqual(pages.map(({ name }) => name).filter((name) => name !== "import"), view_pages);
});
