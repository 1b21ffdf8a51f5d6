// What the process says when it ends.

/** Exit codes; `restart` (EX_TEMPFAIL) asks the supervisor to start the program again. */
export const exit_codes = { ok: 0, failed: 1, usage: 2, bug: 70, restart: 75, pipe: 141 } as const;
export type ExitCode = typeof exit_codes[keyof typeof exit_codes];

/** The text of `--help` that explains them. */
export const exit_help = `
Exit codes: 0 done, 1 refused or failed with a reason, 2 wrong usage, 70 an error in the program,
75 the database invalidated itself: start the program again, 141 nobody read the output any more.`;
