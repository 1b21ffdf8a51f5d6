// What shards say of the same noun becomes one answer.
import { deepEqual, equal } from "node:assert/strict";
import { mergeMetrics, merges } from "../../../src/http/fleet/merge.ts";

Deno.test("each family of metrics stands once, and each sample says its shard", () => {
  const page = (count: number) =>
    [
      "# HELP rows Stored rows.",
      "# TYPE rows counter",
      `rows ${count}`,
      "",
      "# HELP took_seconds How long.",
      "# TYPE took_seconds histogram",
      `took_seconds_bucket{le="0.1",route="a{b}"} ${count}`,
      `took_seconds_count ${count}`,
      "",
    ].join("\n");
  const only = "# TYPE late gauge\nlate 1\n";
  equal(
    mergeMetrics([{ shard: 0, text: page(1) }, { shard: 12, text: page(2) + only }]),
    [
      "# HELP rows Stored rows.",
      "# TYPE rows counter",
      'rows{shard="0"} 1',
      'rows{shard="12"} 2',
      "# HELP took_seconds How long.",
      "# TYPE took_seconds histogram",
      'took_seconds_bucket{shard="0",le="0.1",route="a{b}"} 1',
      'took_seconds_count{shard="0"} 1',
      'took_seconds_bucket{shard="12",le="0.1",route="a{b}"} 2',
      'took_seconds_count{shard="12"} 2',
      "# TYPE late gauge",
      'late{shard="12"} 1',
      "",
    ].join("\n"),
  );
});

Deno.test("what goes by retention is added up, and the first disk that is full counts", () => {
  const due = (from: string, to: string) => (
    { kept: "samples", from, to, tags: 2, rows: 10, bytes: 100 } as const
  );
  const growth = { bytes_per_day: 5, full_on: "2027-01-01" };
  const merged = merges.retention([
    { due: [], growth: { bytes_per_day: 1, full_on: null } },
    { due: [due("2026-01-02", "2026-01-05")], growth },
    {
      due: [due("2026-01-01", "2026-01-03"), {
        ...due("2026-01-01", "2026-01-02"),
        kept: "minutes",
      }],
      growth: { ...growth, full_on: "2026-12-01" },
    },
  ]);
  deepEqual(merged, {
    due: [
      { kept: "samples", from: "2026-01-01", to: "2026-01-05", tags: 4, rows: 20, bytes: 200 },
      { kept: "minutes", from: "2026-01-01", to: "2026-01-02", tags: 2, rows: 10, bytes: 100 },
    ],
    growth: { bytes_per_day: 11, full_on: "2026-12-01" },
  });
  const unknown = { due: [], growth: { bytes_per_day: null, full_on: null } };
  deepEqual(merges.retention([unknown, unknown]), unknown);
});

Deno.test("a gateway has its sites of all shards", () => {
  const gateway = (name: string, ...sites: object[]) => ({ name, token_name: "t", sites });
  deepEqual(
    merges.gateways([
      [gateway("a"), gateway("b")],
      [gateway("b", { site: 1 }), gateway("a", { site: 2 })],
      [gateway("a", { site: 3 })],
    ]),
    [gateway("a", { site: 2 }, { site: 3 }), gateway("b", { site: 1 })],
  );
});
