// Programs and files of a view: they ask for the same rows, and never say the token.
import { equal, match, ok } from "node:assert/strict";
import { fileAddress, fileName, snippets, type Tool } from "../../../src/web/frame/snippet.ts";

const view = {
  path: "/platform/v1/signals",
  query: { project_id: "p1", tag: ["INV-01.P AC", `a'b"c`], lane: undefined },
  name: "Prairie Sun: power, 21/11",
};
const origin = "https://plant.example";

Deno.test("a view's file is the same request with a format", () => {
  equal(
    fileAddress(view, "parquet"),
    "/platform/v1/signals?project_id=p1&tag=INV-01.P+AC&tag=a%27b%22c&format=parquet",
  );
});

Deno.test("a file's name has only what every file system takes", () => {
  equal(fileName(view, "csv"), "Prairie-Sun-power-21-11.csv");
  equal(fileName({ name: "../x" }, "parquet"), "x.parquet");
  equal(fileName({ name: "…" }, "arrow"), "rows.arrows");
});

Deno.test("every program names the address and takes the token from the environment", () => {
  for (const tool of Object.keys(snippets) as Tool[]) {
    const text = snippets[tool](view, origin);
    ok(text.includes(`${origin}/platform/v1/signals?project_id=p1&`), tool);
    match(text, tool === "curl" ? /Bearer \$WATTKEEPER_TOKEN"/ : /environ\['WATTKEEPER_TOKEN'\]/);
  }
});

Deno.test("a shell reads the curl command as the words that are meant", async () => {
  const text = snippets.curl({ ...view, path: "/it's", name: "it's" }, origin);
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", `curl() { printf '%s\\n' "$@"; }\n${text}`],
    env: { WATTKEEPER_TOKEN: "secret" },
  }).output();
  const words = new TextDecoder().decode(stdout).trimEnd().split("\n");
  equal(words[2], "Authorization: Bearer secret");
  equal(words[4], "it-s.csv");
  equal(words[5], origin + fileAddress({ ...view, path: "/it's" }, "csv"));
});
