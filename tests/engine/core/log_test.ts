// The log: lines in both forms, and no secret in any, wherever it stands in a message.
import { deepEqual, equal, ok } from "node:assert/strict";
import { openLog, writeLog } from "../../../src/engine/core/log.ts";
import { newSecret } from "../../../src/engine/webhooks/subscription.ts";
import { token_bytes, tokenText } from "../../../src/model/access/token.ts";
import { fakeEffects } from "../../help/effects.ts";

Deno.test("neither a token nor a webhook's secret is logged, in either form", () => {
  const { effects, printed } = fakeEffects();
  for (const log_format of ["json", "pretty"] as const) {
    const log = openLog({ log_level: "info", log_format }, effects);
    for (let n = 0; n < 50; n++) {
      const token = tokenText(effects.random(token_bytes));
      const secret = newSecret(effects);
      const error = new Error(`refused ${secret} of ${token}`);
      printed.err = "";
      log.info("called with {header}", { header: `Bearer ${token}`, secret: { secret } });
      log.error(`sent: {error}, "${secret}"`, { error });
      equal(printed.err.match(/\n/g)!.length >= 2, true);
      ok(!printed.err.includes(token.slice(0, 10)) && printed.err.includes(token.slice(0, 7)));
      ok(!printed.err.includes(secret.slice(0, 10)), printed.err);
      ok(!printed.err.includes(secret.slice(-5)), printed.err);
    }
  }
});

Deno.test("a line of JSON is an object with its level and its message", () => {
  const { effects, printed } = fakeEffects();
  const log = openLog({ log_level: "warning", log_format: "json" }, effects);
  log.info("too quiet");
  log.warning("{count} are late", { count: 3 });
  const lines = printed.err.trimEnd().split("\n").map((line) => JSON.parse(line));
  deepEqual(lines.map(({ level, message }) => [level, message]), [["warning", "3 are late"]]);
});

Deno.test("a message that has its values already is printed as any other one", () => {
  for (const log_format of ["json", "pretty"] as const) {
    const { effects, printed } = fakeEffects();
    const log = openLog({ log_level: "info", log_format }, effects);
    const properties = { path: "/x", status: 200, token_id: null };
    log.info("{path} {status}", properties);
    const usual = printed.err;
    printed.err = "";
    writeLog({ log, effects }, { level: "debug", text: "too quiet", properties });
    writeLog({ log, effects }, { level: "info", text: "/x 200", properties });
    const timeless = (text: string) => text.replaceAll(/\d+-\d+-\d+T|\d+:\d+:\d+|\.\d+Z/g, "");
    equal(timeless(printed.err), timeless(usual));
    printed.err = "";
    writeLog({ log, effects }, { level: "info", text: "of wk_0123456789abcdef", properties });
    ok(printed.err.includes("wk_0123…") && !printed.err.includes("wk_01234"));
  }
});
