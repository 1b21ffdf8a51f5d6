// `deno task bench [--full] [W1 A1 …]`: each workload with its limit, its ratio and its target.
//
// With `--peers`: the product beside other databases; `--peers --help` tells more.
import { systemEffects } from "../../src/base/effects.ts";
import { measureAlarmLimits, measureAlarms, putAlarms } from "./alarm_read.ts";
import { measureRules } from "./alarm_rule.ts";
import { measureAlarmWrites } from "./alarm_write.ts";
import { measureAvailability, measureAvailabilityLimits } from "./availability.ts";
import { type Figure, lineOf } from "./figure.ts";
import { benchPeers } from "./peers/main.ts";
import { measureImports } from "./import.ts";
import { measureReadLimits, measureReads } from "./read.ts";
import { measureDisk } from "./roll.ts";
import { measureSmall } from "./small.ts";
import { measureStart } from "./start.ts";
import { measureSync } from "./sync.ts";
import { measureTogether } from "./together.ts";
import {
  full,
  makeWorld,
  small,
  withDatabase,
  withServer,
  type World,
  worldBytes,
} from "./world.ts";
import { measureWorkLists } from "./work.ts";
import { measureWebhooks } from "./webhook.ts";
import { measureWrites } from "./write.ts";

if (Deno.args.includes("--peers")) Deno.exit(await benchPeers(Deno.args));

const help = `deno task bench [--full] [WORKLOAD …]: workloads beside their limits and targets

W1 to W6     reads of performance and signals       W7, L1 to L3   alarms and rules
W8, W9       writes; webhooks                       W10, W12       small requests; all at once
W11          start, and memory at rest              A1 to A3       availability
I1           imports                                S1, S2         work
W15          room on the disk
--full       whole sizes in place of small ones
--peers      other databases beside the product: --peers --help tells more

limit: what the database alone takes for the same question, in the figure's unit.

Most need a plant with a year of days: 1 GB in a temporary folder, made first in a minute or two.
`;

const workloads = "W1 W2 W3 W4 W5 W6 W7 W8 W9 W10 W11 W12 W15 A1 A2 A3 I1 L1 L2 L3 S1 S2".split(
  " ",
);
const unknown = Deno.args.filter((arg) => ![...workloads, "--full", "--help", "-h"].includes(arg));
if (unknown.length > 0) {
  systemEffects().err(`there is no ${unknown.join(", no ")}; --help tells what there is\n`);
  Deno.exit(2);
}
if (Deno.args.includes("--help") || Deno.args.includes("-h")) {
  systemEffects().out(help);
  Deno.exit(0);
}

const wanted = Deno.args.filter((arg) => !arg.startsWith("--"));
const size = Deno.args.includes("--full") ? full : small;

print(
  `SOLAR-100: 500 inverters, a year of days and quarter-hours, ${size.minute_days} days of ` +
    `minutes, ${size.sample_days} of samples; it is being made`,
);
const world = await makeWorld(size);
try {
  print(
    `it has ${Math.round(await worldBytes(world) / 1e6)} MB; figures follow as they are measured`,
  );
  await measureAll(world);
} finally {
  await Deno.remove(world.folder, { recursive: true });
}

async function measureAll(world: World): Promise<void> {
  if (wants("W11")) await printAll(await measureStart(world));
  if (wants("W1", "W2", "W3", "W4", "W5", "W6")) {
    const limits = await withDatabase(world.folder, (file) => measureReadLimits(file, world));
    await withServer(world, (server) => printAll(measureReads(server, world, limits)));
  }
  if (wants("A1", "A2", "A3")) {
    const limits = await withDatabase(world.folder, measureAvailabilityLimits);
    await withServer(world, (server) => printAll(measureAvailability(server, world, limits)));
  }
  if (wants("W8")) await withServer(world, (server) => printAll(measureWrites(server, world)));
  if (wants("W7", "W10", "W12", "L1")) await measureAlarmsOf(world);
  if (wants("L2", "L3")) await printAll(measureRules());
  if (wants("W15")) await printAll(measureDisk(size === full ? 10 : 3));
  if (wants("I1")) await printAll(measureImports(size === full ? 10e6 : 2e6));
  if (wants("W9")) await printAll(measureWebhooks({ events: size === full ? 10_000 : 2_000 }));
  if (wants("S1")) await printAll(measureSync());
  if (wants("S2")) await printAll(measureWorkLists(size));
}

async function measureAlarmsOf(world: World): Promise<void> {
  const limits = await withDatabase(world.folder, async (database) => {
    await putAlarms(database);
    return await measureAlarmLimits(database);
  });
  await withServer(world, async (server) => {
    if (wants("W7")) await printAll(measureAlarms(server, world, limits));
    if (wants("W10")) await printAll(measureSmall(server, world));
    if (wants("L1")) await printAll(measureAlarmWrites(server, world));
    if (wants("W12")) await printAll(measureTogether(server, world, size === full ? 300 : 30));
  });
}

/** Prints figures as they come, those that are wanted. */
async function printAll(figures: AsyncIterable<Figure> | Iterable<Figure>): Promise<void> {
  for await (const figure of figures) if (wants(figure.workload)) print(lineOf(figure));
}

function print(line: string): void {
  systemEffects().out(`${line}\n`);
}

function wants(...workloads: readonly string[]): boolean {
  return wanted.length === 0 || workloads.some((workload) => wanted.includes(workload));
}
