// A data directory says of which shard it is.
import { rejects } from "node:assert/strict";
import { keepShardOf, requireShardOf } from "../../../src/store/folder.ts";

Deno.test("a directory is opened for its own shard alone, once it says which", async () => {
  const path = await Deno.makeTempDir();
  const [own, other] = [1, 2].map((no) => ({ no, fleet: "f" }));
  await requireShardOf(`${path}/none`, own);
  await requireShardOf(path, own);
  await keepShardOf(path, own);
  await requireShardOf(path, own);
  await rejects(
    requireShardOf(path, other),
    /has the data of shard-001 of fleet f, not of shard-002 of fleet f: mount/,
  );
  await rejects(
    requireShardOf(path, { no: 1, fleet: "g" }),
    /not of shard-001 of fleet g: give each fleet a data_dir of its own; .*remove .*\.shard$/,
  );
});

Deno.test("a directory that an older version marked gets the fleet that opens it", async () => {
  const path = await Deno.makeTempDir();
  await Deno.writeTextFile(`${path}/wattkeeper.shard`, "shard-001\n");
  await rejects(requireShardOf(path, { no: 2, fleet: "f" }), /the data of shard-001, not of/);
  await requireShardOf(path, { no: 1, fleet: "f" });
  await keepShardOf(path, { no: 1, fleet: "f" });
  await rejects(requireShardOf(path, { no: 1, fleet: "g" }), /of shard-001 of fleet f, not of/);
});
