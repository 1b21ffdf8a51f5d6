// The kinds of faults of a campaign, by their names.
import { clock } from "./kinds/clock.ts";
import { flipped, spoilt, torn_log } from "./kinds/damage.ts";
import { failing, failing_start, full, short_write, unsynced } from "./kinds/disk.ts";
import { kill, kill_at_call, kill_at_start, pause, two_processes } from "./kinds/kill.ts";
import { receivers } from "./kinds/receivers.ts";
import { backup, ordering, restore, retention, tiering, upgrade } from "./kinds/upkeep.ts";
import type { Kind } from "./round.ts";

/** What happens to the program itself, or to its files. */
export const plain_kinds: Readonly<Record<string, Kind>> = {
  ...{ kill, two_processes, pause, torn_log, flipped, spoilt, receivers },
};

/** What needs the preloaded library. */
export const preloaded_kinds: Readonly<Record<string, Kind>> = {
  ...{ kill_at_call, kill_at_start, full, short_write, failing, failing_start, unsynced },
  ...{ clock, backup, restore, retention, tiering, ordering, upgrade },
};
