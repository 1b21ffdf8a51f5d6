// `webhook listen`, `send` and `verify` as a person runs them, over real sockets.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { unreachable } from "../../../src/base/assert.ts";
import { systemEffects } from "../../../src/base/effects.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { from_source, runProgram, startServer } from "../../help/process.ts";

const secret = `whsec_${btoa("a secret that has exactly 32 byte")}`.replace("=", "");
const secret_two = "whsec_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA=";

async function run(...args: string[]) {
  const printed = { out: "", err: "" };
  const effects = {
    ...systemEffects(),
    out: (text: string) => void (printed.out += text),
    err: (text: string) => void (printed.err += text),
    log: (text: string) => void (printed.err += text),
  };
  const openService = () => unreachable(undefined as never);
  const code = await runCli(["webhook", ...args], { effects, version: "0", openService });
  return { code, ...printed };
}

/** A listener of its own process, and the lines that it prints. */
async function listening(...args: string[]) {
  const child = new Deno.Command(from_source.command, {
    args: [...from_source.args, "webhook", "listen", ...args],
    ...{ stdin: "null", stdout: "piped", stderr: "piped" },
  }).spawn();
  const said = linesOf(child.stderr);
  const lines = linesOf(child.stdout);
  const first = await said();
  const address = /listening on (http:\S+)/.exec(first)?.[1];
  ok(address, first);
  return {
    address,
    lines,
    async end() {
      child.kill("SIGTERM");
      await child.status;
      while (await said() || await lines());
    },
  };
}

function linesOf(stream: ReadableStream<Uint8Array>): () => Promise<string> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  return async () => {
    while (!rest.includes("\n")) {
      const { value, done } = await reader.read();
      if (done) return "";
      rest += value;
    }
    const end = rest.indexOf("\n");
    const line = rest.slice(0, end);
    rest = rest.slice(end + 1);
    return line;
  };
}

Deno.test("a listener takes what send sends, fails when told, keeps for verify", async () => {
  const save = `${await Deno.makeTempDir()}/kept`;
  const listener = await listening(
    ...["--port", "0", "--secret", secret, secret_two, "--rotate", "--fail", "503", "--times", "1"],
    ...["--save", save],
  );
  const send = (...secrets: string[]) =>
    runProgram(["webhook", "send", listener.address, "--id", "evt_9", "--secret", ...secrets]);
  const failed = await send(secret_two);
  equal(failed.code, 1, failed.err);
  match(failed.out, /^POST http:\/\/127\.0\.0\.1:\d+\/\ncontent-type: application\/json\n/);
  match(failed.out, /\nuser-agent: Wattkeeper\/\S+\nx-svc-event-id: evt_9\n/);
  match(failed.out, /\nwebhook-signature: v1,\S+\n\n\{"schema_version":1,"id":"evt_9",/);
  match(failed.out, /\n503 from 127\.0\.0\.1 after \d+ ms\ntold to fail\n$/);
  match(await listener.lines(), /webhook\.test {2}evt_9 {2}genuine, answered 503$/);
  const both = await send(secret, secret_two);
  deepEqual([both.code, both.err], [0, ""]);
  match(await listener.lines(), /evt_9 {2}genuine, again, answered 200$/);
  const former = await send(secret);
  equal(former.code, 1);
  match(former.out, /\n401 from 127\.0\.0\.1/);
  match(await listener.lines(), /evt_9 {2}refused: signature: .*, answered 401$/);
  await listener.end();
  const kept = await run("verify", `${save}/evt_9.2.http`, "--secret", secret_two, "--explain");
  equal(kept.code, 0, kept.err);
  match(
    kept.out,
    /^passed {2}header: t=\d+, 2 v1, 0 v1a\npassed {2}clock: t is \d+ seconds behind/,
  );
  match(kept.out, /FAILED {2}v1: \S{8}… verifies with none of 1 secrets\npassed {2}v1: /);
  match(kept.out, /passed {2}x-svc-event-type: webhook\.test, as in the body\ngenuine\n$/);
});

Deno.test("what a service sends is genuine to a listener, by secret and by key", async () => {
  const data_dir = `${await Deno.makeTempDir()}/data`;
  const here = ["--data-dir", data_dir, "--webhook-allow", "127.0.0.1"];
  const site = new URL("../../../data/example.site.toml", import.meta.url).pathname;
  equal((await runProgram(["site", "apply", site, ...here])).code, 0);
  const hook = ["--name", "here", "--target", "http://127.0.0.1:1", "--event", "issue.*"];
  const added = await runProgram(["webhook", "add", ...hook, ...here]);
  equal(added.code, 0, added.err);
  const [, id] = /subscription (\S+);/.exec(added.err)!;
  const server = await startServer(data_dir, { args: here.slice(2) });
  const known = ["--secret", added.out.trim(), "--jwks", `${server.address}/webhooks/jwks.json`];
  try {
    const listener = await listening("--port", "0", ...known);
    const moved = await fetch(`${server.address}/admin/v1/subscriptions/${id}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "here", target: listener.address, event_types: ["issue.*"] }),
    });
    equal(moved.status, 200, await moved.text());
    const there = ["--url", server.address, "--token", server.token!];
    const tested = await runProgram(["webhook", "test", id, ...there]);
    const line = await listener.lines();
    await listener.end();
    const [, event_id] = /event (\S+) will/.exec(tested.out)!;
    match(line, new RegExp(`webhook\\.test {2}${event_id} {2}genuine, answered 200$`));
  } finally {
    equal(await server.end("SIGTERM"), 0);
  }
});

Deno.test("a post that nobody takes is told", async () => {
  const there = "http://127.0.0.1:1";
  const refused = await run("send", there, "--secret", "x", "--timeout", "5");
  equal(refused.code, 1);
  match(refused.out, /\nthe connection was refused from 127\.0\.0\.1 after \d+ ms\n$/);
  ok(!refused.out.includes("webhook-signature"));
});

Deno.test("mistakes in use are told before anything is sent or opened", async () => {
  const wrong: readonly (readonly [string[], RegExp])[] = [
    [["send", "ftp://x", "--secret", "x"], /ftp:\/\/x is no http:\/\/ or https:\/\/ URL/],
    [["send", "http://127.0.0.1"], /give --secret or --secret-file/],
    [["send", "http://127.0.0.1", "--secret", "x", "--type", "alarm"], /give one of alarm\.raised/],
    [["send", "http://127.0.0.1", "--secret", "x", "--timeout", "31"], /from 1 to 30/],
    [["send", "http://127.0.0.1", "--secret", "x", "--body", "/none"], /there is no file \/none/],
    [["listen", "--secret", "x", "--rotate"], /give both secrets, the new one last/],
    [["listen", "--fail", "100"], /status from 200 to 599/],
    [["listen", "--port", "65536"], /a whole number up to 65535/],
    [["listen", "--forward", "there"], /give an http:\/\/ or https:\/\/ URL/],
    [["verify", "--secret", "x"], /give a file, or both --headers and --body/],
  ];
  for (const [args, words] of wrong) {
    const { code, err } = await run(...args);
    ok(code === 1 || code === 2, args.join(" "));
    match(err, words);
  }
});
