// How often a node asks the catalogue, whoever asks the node.
import { equal } from "node:assert/strict";
import { fleet_limits } from "../../../src/model/fleet/limits.ts";
import type { CatalogPlace } from "../../../src/model/fleet/place.ts";
import type { FleetCatalog } from "../../../src/store/fleet/fleet_catalog.ts";
import { nodeOf } from "./node_help.ts";
import { aTurn } from "../../help/until.ts";

Deno.test("whoever asks for what there is not, the catalogue is asked now and then", async () => {
  let beats = 0;
  const catalog = {
    beat() {
      beats++;
      const nothing = { mine: [], shards: [], nodes: [], news: [] };
      return Promise.resolve({ is_named: true, now_ms: 0, ...nothing });
    },
    close: () => Promise.resolve(),
  } as unknown as FleetCatalog;
  const { node, clock, end } = nodeOf("a", {
    ...{ place: {} as CatalogPlace, data_dir: "/nowhere", catalog },
  });
  while (!node.is_current) await aTurn();
  const begun = beats;
  const asking = Array.from({ length: 50 }, () => node.lookAgain());
  for (let turns = 0; turns < 20; turns++) await aTurn();
  equal(beats, begun, "it looked a moment ago");
  clock.advance(fleet_limits.look_again_ms);
  await Promise.all(asking);
  equal(beats, begun + 1);
  await end();
});
