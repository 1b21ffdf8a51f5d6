// Runs the commands of the guides, in order, against a service that they start themselves.
import { equal, ok } from "node:assert/strict";
import { readSource } from "./help/source.ts";
import { from_source } from "./help/process.ts";

/** The guides in an order in which each has what the ones before it made. */
const guides = ["connect", "csv", "telegraf", "pandas", "excel", "grafana"];

/** The blocks of commands of a guide, and the addresses of those for other programs. */
function blocksOf(guide: string) {
  const { text } = readSource(`docs/guides/${guide}.md`);
  return Array.from(text.matchAll(/^```(\w+)\n([^]*?)^```$/gm), ([, language, code]) => (
    { language, code }
  ));
}

/** A folder with a shell in which `wattkeeper` is this program, on a port of its own. */
async function openShell() {
  const folder = await Deno.makeTempDir();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  await Deno.mkdir(`${folder}/bin`);
  const { command, args } = from_source;
  const script = `#!/bin/sh\nexec ${[command, ...args].join(" ")} "$@"\n`;
  await Deno.writeTextFile(`${folder}/bin/wattkeeper`, script, { mode: 0o755 });
  const env = {
    PATH: `${folder}/bin:${Deno.env.get("PATH")}`,
    WATTKEEPER_PORT: String(port),
    WATTKEEPER_MEMORY_MB: "512",
    WATTKEEPER_STOP_NOTICE_MS: "0",
  };
  const start = (code: string) => {
    // The folder of one block is that of the next.
    const kept = `cd "$(cat ${folder}/place 2>/dev/null || echo ${folder})"\nset -euo pipefail\n`;
    const own = code.replaceAll("127.0.0.1:8480", `127.0.0.1:${port}`);
    return new Deno.Command("bash", {
      args: ["-c", `${kept}${own}\npwd > ${folder}/place`],
      ...{ env, stdin: "null", stdout: "piped", stderr: "piped" },
    });
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    async run(code: string) {
      const { code: status, stdout, stderr } = await start(code).output();
      const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
      equal(status, 0, `${code}\n${out}\n${err}`);
      return out;
    },
    /** Starts what goes on, and settles once the service answers. */
    async serve(code: string) {
      const child = start(code.replace("wattkeeper serve", "exec wattkeeper serve")).spawn();
      const lines = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
      let said = "";
      while (!said.includes("listening")) {
        const { value, done } = await lines.read();
        ok(!done, said);
        said += value;
      }
      const rest = (async () => {
        while (!(await lines.read()).done);
      })();
      const out = child.stdout.cancel();
      return async () => {
        child.kill("SIGTERM");
        await Promise.all([child.status, rest, out]);
      };
    },
    close: () => Deno.remove(folder, { recursive: true }),
  };
}

/** The tools that a block needs and this machine lacks. */
async function lacking(code: string): Promise<readonly string[]> {
  const tools = /^# needs: (.*)$/m.exec(code)?.[1].split(" ") ?? [];
  const missing: string[] = [];
  for (const tool of tools) {
    const is_module = tools[0] === "python3" && tool !== "python3";
    const test = is_module ? `python3 -c "import ${tool}"` : `command -v ${tool}`;
    const { success } = await new Deno.Command("bash", {
      args: ["-c", test],
      ...{ stdout: "null", stderr: "null" },
    }).output();
    if (!success) missing.push(tool);
  }
  return missing;
}

Deno.test("the commands of the guides do what they say", async (t) => {
  const shell = await openShell();
  let stop = () => Promise.resolve();
  try {
    for (const guide of guides) {
      await t.step(guide, async () => {
        for (const { language, code } of blocksOf(guide)) {
          if (language !== "sh") continue;
          if (code.trim() === "wattkeeper serve") {
            stop = await shell.serve(code);
            continue;
          }
          const missing = await lacking(code);
          // deno-lint-ignore no-console -- nobody should take a skipped block for a passed one
          if (missing.length > 0) console.log(`SKIPPED: ${guide} needs ${missing.join(", ")}`);
          if (missing.length > 0) {
            incomplete.add(guide);
            continue;
          }
          const out = await shell.run(code);
          // Without what a block before would have done, others may answer something else.
          if (!incomplete.has(guide)) expected(guide, code, out);
        }
      });
    }
  } finally {
    await stop();
    await shell.close();
  }
});

/** What the guide says of the answer of some blocks. */
const answers: readonly (readonly [guide: string, block: RegExp, answer: RegExp])[] = [
  ["connect", /ingest\/v1\/signals/, /"accepted":5,.*"rejected_count":0/],
  ["connect", /signals\/latest/, /"value":187500,/],
  ["connect", /meta\/tags.*\n[^]*sensors\/health/, /inv1\.fan_rpm[^]*"silent"|inv1\.fan_rpm/],
  ["connect", /user link/, /http:\/\/\S+#link=/],
  ["csv", /--dry-run/, /27 values of 3 tags, 0 rejected. Nothing was stored/],
  ["csv", /la-mancha \\/, /27 accepted, 0 duplicates, 0 rejected/],
  ["csv", /--fresh/, /0 accepted, 27 duplicates, 0 rejected/],
  ["telegraf", /signals\/latest/, /"value":190200,/],
  ["excel", /curl/, /^ts,project_id,/],
  ["grafana", /1\+1/, /"status":"success"/],
  ["grafana", /query_range/, /"resultType":"matrix","result":\[\{/],
  ["grafana", /v1\/alarms/, /^\[/],
];

const seen = new Set<RegExp>();

/** The guides of which a block was skipped. */
const incomplete = new Set<string>();

function expected(guide: string, code: string, out: string): void {
  for (const [of, block, answer] of answers) {
    if (of !== guide || !block.test(code)) continue;
    ok(answer.test(out), `${code}\n${out}`);
    seen.add(answer);
  }
}

Deno.test("every answer that a guide tells of was looked at", () => {
  for (const [guide, block, answer] of answers) {
    const is_skipped = incomplete.has(guide) && !seen.has(answer);
    if (!is_skipped) ok(seen.has(answer), `${guide} ${block}`);
  }
});
