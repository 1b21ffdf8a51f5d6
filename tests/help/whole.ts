// All minutes and readings, for tests that look into tables: those of whole quarter-hours, too.
import { allReadings, wholeMinutes } from "../../src/store/performance/whole.ts";

const all = { samples: "true", wholes: "true", begin: "0::BIGINT", end: "100000000::BIGINT" };

/** In place of table `minute`. */
export const all_minutes = `(FROM minute UNION ALL BY NAME ${wholeMinutes(all)})`;

/** In place of table `reading`. */
export const all_readings = allReadings(all);

const stand = () => Promise.resolve({ over_minute: 0, [Symbol.dispose]() {} });

/** In place of a roll-up: it has nothing to do, and stands still. */
export const still_roll = { hold: stand, holdSettled: stand };
