// `order.ts --data-dir DIR`: puts days that are over in order, and ends.
import { parseArgs } from "node:util";
import { systemEffects } from "../../src/base/effects.ts";
import { DayOrder } from "../../src/engine/samples/order.ts";
import { Database } from "../../src/store/database.ts";

const { values } = parseArgs({ options: { "data-dir": { type: "string" } } });
const effects = systemEffects();
const path = `${values["data-dir"]}/wattkeeper.duckdb`;
const database = await Database.open({ path, effects, threads: 1, memory_mb: 128 });
await new DayOrder({ database, effects, waiting: () => 0 }).settle();
await database.close();
