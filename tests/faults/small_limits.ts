// The program with small bounds of the log of shared work: it is folded all the time.
import { upstream_limits } from "../../src/model/upstream/limits.ts";

Object.assign(upstream_limits, { work_keep_changes: 2, work_fold_ms: 250 });
