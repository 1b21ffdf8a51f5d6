// `verify`: recomputes everything rolled up from its samples and reports every difference.
import type { Command } from "commander";
import { Roll } from "../../engine/rollup/rollup.ts";
import { verify } from "../../engine/service/verify.ts";
import { type Context, type Offline, offline } from "../frame/context.ts";
import { exit_codes } from "../frame/exit.ts";
import { showProgress } from "../frame/progress.ts";

/** Adds `verify`. */
export function addVerifyCommand(program: Command, context: Context): void {
  program.command("verify").description(
    "compute everything again from the samples and report any difference",
  )
    .action(() => offline(context, (parts) => report(context, parts)));
}

async function report(
  { effects, exit }: Context,
  { database, catalog }: Offline,
): Promise<void> {
  const roll = await Roll.open({ database, catalog, effects });
  let checked = 0;
  let wrong = 0;
  const progress = showProgress(effects, { label: "Verifying", total: 100 });
  try {
    for await (const found of verify({ database, catalog, roll })) {
      checked += found.checked;
      wrong += Object.values(found.differences).reduce((sum, count) => sum + count);
      for (const example of found.examples) effects.out(`${example}\n`);
      progress.update(100 * found.place / found.days, found.day);
    }
  } finally {
    progress.stop();
    await roll.close();
  }
  effects.out(`${checked} minutes and readings recomputed, ${wrong} rows differ\n`);
  if (wrong > 0) exit(exit_codes.failed);
}
