// Tests that the pages of which the service keeps views are those that there are.
import { deepEqual } from "node:assert/strict";
import { view_pages } from "../../../src/model/views/view.ts";
import { pages } from "../../../src/web/shell/pages.ts";

Deno.test("every page of the screens can have saved views", () => {
  deepEqual(pages.map(({ name }) => name), view_pages);
});
