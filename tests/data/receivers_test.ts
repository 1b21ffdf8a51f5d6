// The receivers of data/receivers, each in its own language, over the vectors of signatures.
import { deepEqual, equal } from "node:assert/strict";
import { verifyEd25519, verifyHmac } from "../../data/receivers/verify.ts";
import { utf8 } from "../../src/base/bytes.ts";
import { signatureRefusal } from "../../src/model/webhooks/signature.ts";
import vectors from "../vectors/signatures.json" with { type: "json" };

type Case = {
  readonly name: string;
  readonly header: string | null;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly now: number;
  readonly secrets: readonly string[];
  readonly keys: readonly string[];
  readonly v1: boolean;
  readonly v1a: boolean;
};

const cases: readonly Case[] = vectors.receiver.cases.map(({ body, body_base64, ...it }) => ({
  ...it,
  body: body === undefined ? Uint8Array.fromBase64(body_base64!) : utf8(body),
}));
const shipped = new URL("../../data/receivers", import.meta.url).pathname;
const drivers = new URL("receivers", import.meta.url).pathname;

Deno.test("the service's own check finds what the vectors say", () => {
  for (const { name, body, now, v1, v1a, ...it } of cases) {
    const received = { ...it, body, now_us: now * 1e6 };
    const isRefused = (more: object) => signatureRefusal({ ...received, ...more }) !== undefined;
    deepEqual([isRefused({ keys: [] }), isRefused({ secrets: [] })], [!v1, !v1a], name);
  }
});

Deno.test("the TypeScript receiver finds what the vectors say", async () => {
  for (const { name, header, body, now, secrets, keys, v1, v1a } of cases) {
    const received = { header, body, now_s: now };
    const jwks = keys.map((x) => ({ crv: "Ed25519", x }));
    const found = [await verifyHmac(received, secrets), await verifyEd25519(received, jwks)];
    deepEqual(found, [v1, v1a], name);
  }
});

Deno.test("the Python receiver finds what the vectors say", async () => {
  const env = { PYTHONPATH: shipped, PYTHONDONTWRITEBYTECODE: "1" };
  await check("python3", async (tool) => await pipe(tool, [`${drivers}/check.py`], { env }));
});

Deno.test("the Go receiver finds what the vectors say", async () => {
  await check("go", async (tool) => {
    const cwd = await folderOf({
      "go.mod": "module check\n",
      "main.go": `${drivers}/check.go`,
      "receivers/verify.go": `${shipped}/verify.go`,
    });
    return await pipe(tool, ["run", "."], { cwd, env: { GOTOOLCHAIN: "local" } });
  });
});

Deno.test("the C# receiver finds what the vectors say, under .NET or Mono", async () => {
  const sources = { "Check.cs": `${drivers}/Check.cs`, "Verify.cs": `${shipped}/Verify.cs` };
  if (await runs("mcs") && await runs("mono")) {
    const cwd = await folderOf(sources);
    await pipe("mcs", ["-out:check.exe", "Check.cs", "Verify.cs"], { cwd });
    return await check("mono", async (tool) => await pipe(tool, ["check.exe"], { cwd }));
  }
  await check("dotnet", async (tool) => {
    const [version] = (await pipe(tool, ["--version"])).split(".");
    const project = `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>
      <TargetFramework>net${version}.0</TargetFramework></PropertyGroup></Project>\n`;
    const cwd = await folderOf({ "check.csproj": project, ...sources });
    return await pipe(tool, ["run"], { cwd });
  });
});

Deno.test("the PowerShell receiver finds what the vectors say", async () => {
  const args = ["-NoProfile", "-File", `${drivers}/check.ps1`, `${shipped}/verify.ps1`];
  await check("pwsh", async (tool) => await pipe(tool, args));
});

/** Holds what a receiver prints to the vectors, where its tool is there. */
async function check(tool: string, run: (tool: string) => Promise<string>): Promise<void> {
  if (!await runs(tool)) {
    // deno-lint-ignore no-console -- nobody should take a skipped test for a passed one
    return console.log(`SKIPPED: the receiver that ${tool} runs; install it to run this test`);
  }
  const found = (await run(tool)).trim().split(/\r?\n/).map((line) => line.trim().split(" "));
  equal(found.length, cases.length);
  cases.forEach(({ name, v1, v1a }, i) => {
    const [found_v1, found_v1a] = found[i];
    deepEqual([found_v1, found_v1a], [`${v1}`, found_v1a === "-" ? "-" : `${v1a}`], name);
  });
}

async function runs(tool: string): Promise<boolean> {
  const args = tool === "go" ? ["version"] : ["--version"];
  try {
    return (await new Deno.Command(tool, { args, stdout: "null", stderr: "null" }).output())
      .success;
  } catch {
    return false;
  }
}

/** What a command prints when it gets the cases, a line each; texts are base64. */
async function pipe(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const piped = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
  const child = new Deno.Command(command, { args: [...args], ...options, ...piped }).spawn();
  const writer = child.stdin.getWriter();
  // A command that reads nothing may have ended before.
  await writer.write(utf8(cases.map(lineOf).join(""))).then(() => writer.close()).catch(() => {});
  const { success, stdout, stderr } = await child.output();
  equal(success, true, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

function lineOf({ header, body, now, secrets, keys }: Case): string {
  const word = (text: string) => utf8(text).toBase64();
  const words = [secrets, keys].map((texts) => texts.map(word).join(","));
  return [header === null ? "-" : word(header), body.toBase64(), now, ...words].join("\t") + "\n";
}

/** A folder of files, each the copy of another one or, with a line break in it, a text. */
async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await Deno.makeTempDir();
  for (const [name, source] of Object.entries(files)) {
    const path = `${folder}/${name}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    if (source.includes("\n")) await Deno.writeTextFile(path, source);
    else await Deno.copyFile(source, path);
  }
  return folder;
}
