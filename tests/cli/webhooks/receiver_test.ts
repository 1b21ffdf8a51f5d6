// The receiver of `webhook listen`, without a port: verdicts, repeats, failures on demand.
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { utf8 } from "../../../src/base/bytes.ts";
import { Jwks } from "../../../src/cli/webhooks/verify.ts";
import { Receiver, type ReceiverPlan } from "../../../src/cli/webhooks/listen.ts";
import { signatureHeader } from "../../../src/model/webhooks/signature.ts";
import { jwkOf, signingKey } from "../../../src/model/webhooks/signature_key.ts";
import { fakeEffects } from "../../help/effects.ts";

const key = signingKey(utf8("a seed that has thirty-two bytes").toBase64());
const next_key = signingKey(utf8("another seed of thirty-two bytes").toBase64());
const body = utf8('{"id":"evt_1","type":"webhook.test"}');
const none = { secrets: [], keys: [] };

async function opened(plan: Partial<ReceiverPlan> = {}) {
  const { effects, clock, printed } = fakeEffects();
  const jwks = plan.jwks ?? await Jwks.open(effects, undefined);
  const asked: Request[] = [];
  const request = (it: Request) => {
    asked.push(it);
    if (it.url.includes("broken")) return Promise.reject(new Error("no way"));
    return Promise.resolve(new Response("thanks", { status: asked.length > 1 ? 202 : 500 }));
  };
  const receiver = new Receiver({ ...effects, request }, { secrets: ["one"], ...plan, jwks });
  const deliver = async (signing = { secrets: ["one"], keys: [key] }, more: RequestInit = {}) => {
    const t = clock.now_us / 1e6;
    const headers = {
      "x-svc-signature": signatureHeader({ t, body, ...signing }),
      "x-svc-event-id": "evt_1",
      "x-svc-event-type": "webhook.test",
    };
    const request = new Request("http://here/hook?a=1", { method: "POST", headers, body, ...more });
    const before = printed.out.length;
    const { status } = await receiver.take(request);
    return { status, line: printed.out.slice(before) };
  };
  return { deliver, receiver, asked, clock };
}

Deno.test("what is genuine is acknowledged, a repeat is told, the rest refused", async () => {
  const { deliver } = await opened();
  const first = await deliver();
  equal(first.status, 200);
  const words = "2026-06-01T12:00:00.000000Z  webhook.test  evt_1  genuine";
  equal(first.line, `${words}, answered 200\n`);
  equal((await deliver()).line, `${words}, duplicate, answered 200\n`);
  const foreign = await deliver({ secrets: ["two"], keys: [] });
  equal(foreign.status, 401);
  match(foreign.line, /evt_1 {2}refused: signature: no signature verifies.*, answered 401\n$/);
  const altered = await deliver(undefined, { body: "{}" });
  equal(altered.status, 401);
  match((await deliver(none)).line, /refused: signature/);
  match(
    (await deliver(undefined, { headers: {} })).line,
    /- {2}- {2}refused: header: .* is missing/,
  );
});

Deno.test("nothing but posts of a webhook's size are taken", async () => {
  const { deliver, receiver } = await opened();
  equal((await receiver.take(new Request("http://here/"))).status, 405);
  const large = await deliver(undefined, { body: new Uint8Array(256 * 1024 + 1) });
  deepEqual(large, { status: 413, line: "" });
});

Deno.test("it fails as often as it is told, and then takes the repeat", async () => {
  const { deliver } = await opened({ failure: { how: 503, times: 2 } });
  const ends = [];
  for (let i = 0; i < 4; i++) ends.push((await deliver()).line.split("evt_1  ")[1].trim());
  deepEqual(ends, [
    "genuine, answered 503",
    "genuine, again, answered 503",
    "genuine, again, answered 200",
    "genuine, duplicate, answered 200",
  ]);
});

Deno.test("told to hang it says so, and answers nothing until the sender goes", async () => {
  const { deliver } = await opened({ failure: { how: "hang", times: 1 } });
  const sender = new AbortController();
  let is_answered = false;
  const hanging = deliver(undefined, { signal: sender.signal }).finally(() => is_answered = true);
  await new Promise((resolve) => setTimeout(resolve, 0));
  equal(is_answered, false);
  sender.abort();
  match((await hanging).line, /genuine, left without an answer\n$/);
  equal((await deliver()).status, 200);
});

Deno.test("what is genuine is passed on, until it is acknowledged there", async () => {
  const { deliver, asked } = await opened({ forward: new URL("http://there/hook") });
  match((await deliver()).line, /genuine, forwarded, answered 500/);
  match((await deliver()).line, /genuine, again, forwarded, answered 202/);
  match((await deliver()).line, /genuine, duplicate, answered 200/);
  equal((await deliver(none)).status, 401);
  equal(asked.length, 2);
  deepEqual(await asked[1].bytes(), body);
  equal(asked[1].headers.get("x-svc-event-id"), "evt_1");
  ok(asked[1].headers.has("x-svc-signature"));
  const broken = await opened({ forward: new URL("http://broken/") });
  match((await broken.deliver()).line, /forwarded, answered 502/);
});

Deno.test("public keys are asked for again when a newer one has signed", async () => {
  let keys = [key];
  let asked = 0;
  const { effects, clock } = fakeEffects();
  const request = () => {
    asked++;
    return Promise.resolve(Response.json({ keys: [{ kty: "RSA" }, ...keys.map(jwkOf)] }));
  };
  const world = { ...effects, request };
  const jwks = await Jwks.open(world, "http://service/webhooks/jwks.json");
  deepEqual(jwks.keys, [key.x]);
  const { deliver } = await opened({ jwks });
  equal((await deliver()).status, 200);
  equal(asked, 1);
  keys = [key, next_key];
  const newer = { secrets: ["one"], keys: [next_key] };
  equal((await deliver(newer)).status, 401);
  clock.advance(10_000);
  equal((await deliver(newer)).status, 200);
  equal(asked, 2);
  const wrong = { ...effects, request: () => Promise.resolve(Response.json({ keys: [] })) };
  await rejects(Jwks.open(wrong, "http://service/"), /has no Ed25519 key/);
  await rejects(Jwks.open(effects, "http://service/"), /does not answer/);
  await rejects(Jwks.open(effects, "/no/such/file"), /there is no directory/);
});

Deno.test("without anything to check with it says that it did not check", async () => {
  const { deliver } = await opened({ secrets: [] });
  match((await deliver(none)).line, /unchecked, answered 200/);
});

Deno.test("deliveries are kept as they came, whatever their id is", async () => {
  const save = await Deno.makeTempDir();
  const { deliver } = await opened({ save });
  await deliver();
  await deliver(undefined, { headers: { "x-svc-event-id": "../../etc/passwd" } });
  const names = [...Deno.readDirSync(save)].map(({ name }) => name).toSorted();
  deepEqual(names, ["______etc_passwd.1.http", "evt_1.1.http"]);
  const text = await Deno.readTextFile(`${save}/evt_1.1.http`);
  match(text, /^POST \/hook\?a=1 HTTP\/1\.1\r\n(?:[\w-]+: .*\r\n)+\r\n\{"id":"evt_1"/);
  await Deno.remove(save, { recursive: true });
});
