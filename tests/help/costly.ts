// Properties whose every run needs a database: a failure is told at once, with its seed, because
// to look for a smaller one would take hours.
import fc from "fast-check";

fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

export { default } from "fast-check";
