// `order.ts --data-dir DIR`: puts the samples of days that are over in order, and ends.
import { parseArgs } from "node:util";
import { systemEffects } from "../../src/base/effects.ts";
import { SampleOrder } from "../../src/engine/samples/order.ts";
import { Database } from "../../src/store/database.ts";

const { values } = parseArgs({ options: { "data-dir": { type: "string" } } });
const effects = systemEffects();
const path = `${values["data-dir"]}/wattkeeper.duckdb`;
const database = await Database.open({ path, effects, threads: 1, memory_mb: 128 });
await new SampleOrder({ database, effects, waiting: () => 0 }).settle();
await database.close();
