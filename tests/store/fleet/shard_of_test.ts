// A data directory says of which shard it is.
import { rejects } from "node:assert/strict";
import { keepShardOf, requireShardOf } from "../../../src/store/folder.ts";

Deno.test("a directory is opened for its own shard alone, once it says which", async () => {
  const path = await Deno.makeTempDir();
  await requireShardOf(`${path}/none`, 1);
  await requireShardOf(path, 1);
  await keepShardOf(path, 1);
  await requireShardOf(path, 1);
  await rejects(requireShardOf(path, 2), /has the data of shard-001, not of shard-002: mount/);
  await keepShardOf(path, 2);
  await requireShardOf(path, 1);
});
