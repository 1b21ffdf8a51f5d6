// `webhook verify` and what it explains: each check, and why it failed.
import { deepEqual, equal, match } from "node:assert/strict";
import { unreachable } from "../../../src/base/assert.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeEffects } from "../../help/effects.ts";
import vectors from "../../vectors/signatures.json" with { type: "json" };

const { t, secret, body, v1, v1a } = vectors.delivery;
const jwks = JSON.stringify({ keys: [{ kty: "OKP", crv: "Ed25519", x: vectors.ed25519.x }] });
const signature = `t=${t},v1=${v1},v1a=${v1a}`;

type Files = Readonly<Record<string, string>>;

/** Runs `webhook verify` in a folder of files, at the vectors' time. */
async function verify(files: Files, args: readonly string[]) {
  const { effects, printed } = fakeEffects("2024-01-01T00:00:00Z");
  const folder = await Deno.makeTempDir();
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
  const openService = () => unreachable(undefined as never);
  const placed = args.map((arg) => arg in files ? `${folder}/${arg}` : arg);
  const world = { effects, version: "0", openService };
  const code = await runCli(["webhook", "verify", ...placed], world);
  await Deno.remove(folder, { recursive: true });
  return { code, ...printed };
}

function request(header: string, text = body): string {
  return `POST /hook HTTP/1.1\r\nHost: here:80\r\nX-Svc-Signature: ${header}\r\n` +
    `x-svc-event-id: evt_1\r\nx-svc-event-type: issue.deleted\r\n\r\n${text}`;
}

Deno.test("a genuine request passes every check, by secret, by key, by both", async () => {
  const files = { kept: request(signature), jwks, secrets: `other\n ${secret}\n\n` };
  equal((await verify(files, ["kept", "--secret", secret])).out, "genuine\n");
  equal((await verify(files, ["kept", "--jwks", "jwks"])).out, "genuine\n");
  const all = ["kept", "--secret-file", "secrets", "--jwks", "jwks", "--explain"];
  deepEqual(await verify(files, all), {
    code: 0,
    err: "",
    out: `passed  header: t=${t}, 1 v1, 1 v1a\n` +
      "passed  clock: t is 0 seconds behind the clock here\n" +
      "passed  v1: 2cae9eca… verifies with secret 2 of 2\n" +
      "passed  v1a: 0e72f922… verifies with public key 1 of 1\n" +
      "passed  x-svc-event-id: evt_1, as in the body\n" +
      "passed  x-svc-event-type: issue.deleted, as in the body\n" +
      "genuine\n",
  });
});

Deno.test("headers and body may come in files of their own, with the clock of then", async () => {
  const headers = `x-svc-signature: ${signature}\nx-other: a: b\n`;
  const apart = ["--headers", "headers", "--body", "body", "--secret", secret];
  const files = { headers, body };
  equal((await verify(files, [...apart, "--at", String(t + 300)])).code, 0);
  const late = await verify(files, [...apart, "--at", "2024-01-01T00:05:01Z", "--explain"]);
  equal(late.code, 1);
  match(late.out, /FAILED {2}clock: .*: t is 301 seconds behind the clock here\n/);
  match(late.out, /passed {2}v1: .*\nrefused: clock: /);
  match((await verify(files, [...apart, "--at", "noon"])).err, /--at: give Unix seconds/);
  const bad = { headers: "POST / HTTP/1.1\nno header\n", body };
  match((await verify(bad, apart)).err, /"no header" is no header/);
});

Deno.test("of a check that fails it says why, and what may have changed the body", async () => {
  const told = async (kept: string, more: readonly string[] = ["--secret", secret]) => {
    const { code, out } = await verify({ kept, jwks }, ["kept", ...more, "--explain"]);
    equal(code, 1);
    return out;
  };
  match(await told(request("v1=00")), /^FAILED {2}header: x-svc-signature needs one t/);
  match(await told("x-a: b\n\n{}"), /^FAILED {2}header: x-svc-signature is missing/);
  match(await told(request(`t=${t},v1a=${v1a}`)), /FAILED {2}v1: the header has no v1\n/);
  match(
    await told(request(signature), ["--secret", "other"]),
    /FAILED {2}v1: 2cae9eca… verifies with none of 1 secrets\n/,
  );
  const kinds = ["--secret", secret, "--jwks", "jwks"];
  const half = await told(request(`t=${t},v1=${v1},v1a=${"0".repeat(128)}`), kinds);
  match(half, /passed {2}v1: .*\nFAILED {2}v1a: 00000000… verifies with none of 1 public keys\n/);
  match(half, /\nrefused: signature: no signature verifies: 1 v1a against 1 public keys\n$/);
  const pretty = JSON.stringify(JSON.parse(body), null, 2);
  match(await told(request(signature, pretty)), /but would if the body's JSON had not been/);
  match(await told(request(signature, `${body}\n`), kinds), /v1a: .* had no line break at its end/);
  match(await told(request(signature, "{}")), /x-svc-event-id: evt_1, but none in the body/);
});

Deno.test("it refuses to judge without anything to check with, or without a request", async () => {
  const files = { kept: request(signature), jwks: "{}" };
  match((await verify(files, ["kept"])).err, /give something to check with/);
  match((await verify(files, ["kept", "--jwks", "jwks"])).err, /is no JWK Set/);
  match((await verify({ kept: "x" }, ["kept", "--secret", "x"])).err, /no empty line/);
  match((await verify(files, ["/none", "--secret", "x"])).err, /there is no file \/none/);
});
