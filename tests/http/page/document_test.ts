// Tests pages written in Markdown: anchors, contents, placeholders that fit, and none that do not.
import { equal, match, ok, rejects } from "node:assert/strict";
import { html } from "@hono/hono/html";
import { documentPage, type Fills, wordFills } from "../../../src/http/page/document.ts";
import { durationText, limitText, settingText } from "../../../src/http/page/quantity.ts";

async function written(text: string, fills: Fills = {}): Promise<string> {
  return (await documentPage(text, fills)).replaceAll(/\s*\n\s*/g, "\n");
}

Deno.test("headings have the anchors that are written, and the contents lead to them", async () => {
  const page = await written(
    "# Trips\n\n{{contents}}\n\n## What `is` one {#what}\n\n### Also {#also}\n",
  );
  match(page, /<title>Trips<\/title>/);
  match(page, /<h1>Trips<\/h1>\n<nav aria-label="Contents">/);
  match(page, /<li><a href="#what">What <code>is<\/code> one<\/a><\/li><\/ul>/);
  match(page, /<h2 id="what">What <code>is<\/code> one<\/h2>\n<h3 id="also">Also<\/h3>/);
});

Deno.test("a placeholder is filled in a line, in code, in a table, and as a block", async () => {
  const fills = {
    block: html`<div>${"<&>"}</div>`,
    count: 3,
    text: "a < b",
    ...wordFills("is", ["on"]),
  };
  const page = await written(
    "# T\n\n{{block}}\n\nHas {{count}} of `{{count}}`.\n\n```\n{{text}}\n```\n\n" +
      "| is | |\n| --- | --- |\n| {{is:on}} | It is. |\n",
    fills,
  );
  match(page, /<\/h1>\n<div>&lt;&amp;&gt;<\/div>\n<p>Has 3 of <code>3<\/code>\.<\/p>/);
  match(page, /<pre tabindex="0">a &lt; b\n<\/pre>/);
  match(
    page,
    /<div class="scroll" tabindex="0">\n<table>\n<thead>\n<tr>\n<th scope="col">is<\/th>/,
  );
  match(page, /<td><code>on<\/code><\/td>\n<td>It is\.<\/td>/);
});

Deno.test("a placeholder without a fill, and a fill without a placeholder, fail", async () => {
  await rejects(() => written("# T\n\n{{nothing}}\n"), /\{\{nothing\}\}, which nothing fills/);
  await rejects(() => written("# T\n\n{{limit:alarm.no_such}}\n"), /no limit alarm.no_such/);
  await rejects(() => written("# T\n\n{{setting:no_such}}\n"), /no setting no_such/);
  await rejects(() => written("# T\n\n{{setting:threads}}\n"), /threads has no default/);
  await rejects(() => written("# T\n\n{{toString}}\n"), /which nothing fills/);
  await rejects(
    () => written("# T\n\n{{is:on}}\n", wordFills("is", ["on", "off"])),
    /does not use is:off/,
  );
});

Deno.test("a page has no HTML of its own", async () => {
  await rejects(() => written("# T\n\n<b>so</b>\n"), /HTML of its own: <b>/);
  await rejects(() => written("# T\n\n<script>\n</script>\n"), /HTML of its own/);
});

Deno.test("limits, settings and times are written with the unit that they are read in", () => {
  equal(limitText("webhook.body_bytes"), "256 KiB");
  equal(limitText("alarm.stream_beat_ms"), "15 s");
  equal(limitText("webhook.timeout_s"), "30 s");
  equal(limitText("work.idempotency_us"), "24 h");
  equal(limitText("webhook.breaker_share"), "70 %");
  equal(limitText("webhook.headers"), "20");
  equal(settingText("signing_key_days"), "90");
  const times = [5_000_000, 90_000_000, 8_640_000_000, 172_800_000_000, 176_400_000_000];
  equal(times.map(durationText).join(), "5 s,1.5 min,2.4 h,2 days,49 h");
  ok(!limitText("rule.watch_back_us").includes("h"), "whole days are told in days");
});
