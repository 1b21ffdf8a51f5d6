// How a script is run, said where it is asked for or was not understood.
import { systemEffects } from "../../src/base/effects.ts";

/** Ends the script with its usage where that is wanted, or an argument is not known. */
export function explain(
  usage: string,
  isKnown: (argument: string, place: number) => boolean | undefined,
): void {
  const { out, err } = systemEffects();
  if (Deno.args.includes("--help") || Deno.args.includes("-h")) {
    out(`${usage}\n`);
    Deno.exit(0);
  }
  if (Deno.args.every((it, i) => isKnown(it, i))) return;
  err(`that can't be understood: ${Deno.args.join(" ")}\n${usage}\n`);
  Deno.exit(2);
}
