// Where a node finds what a request names.
import { deepEqual } from "node:assert/strict";
import { Directory } from "../../../src/engine/fleet/directory.ts";
import type { Notice } from "../../../src/model/fleet/shard.ts";

/** What a shard tells of projects and sites with these ids and keys. */
function told(projects: readonly object[], sites: readonly object[]): Notice {
  return { organizations: [], projects, sites, tokens: [], users: [] } as unknown as Notice;
}

Deno.test("a key that is another's id hides nothing of theirs", () => {
  const directory = new Directory();
  directory.put([
    { no: 1, told_no: 1, told: told([{ id: "p1", key: "p2" }], [{ id: "s1", key: "s2" }]) },
    { no: 2, told_no: 1, told: told([{ id: "p2", key: "k" }], [{ id: "s2", key: "t" }]) },
    { no: 3, told_no: 1, told: told([{ id: "p3", key: "k" }], []) },
  ]);
  deepEqual(directory.shardsOf("project", "p2"), [2]);
  deepEqual(directory.shardsOf("site", "s2"), [2]);
  deepEqual(directory.shardsOf("project", "p1"), [1]);
  deepEqual(directory.shardsOf("project", "k"), [2, 3], "which several have");
  deepEqual(directory.shardsOf("project", "unknown"), []);
});

Deno.test("who has a token or a session is known by what the home tells", () => {
  const directory = new Directory();
  const home = { tokens: [{ digest: "a" }], sessions: [{ digest: "b" }] };
  const other = { tokens: [{ digest: "c" }] };
  directory.put([
    { no: 0, told_no: 1, told: { ...told([], []), ...home } as unknown as Notice },
    { no: 1, told_no: 1, told: { ...told([], []), ...other } as unknown as Notice },
  ]);
  deepEqual(["a", "b", "c"].map((it) => directory.knows(it)), [true, true, false]);
});
