// What is said of a connection to an OPC UA server that fails: what to change.
import assert from "node:assert/strict";
import {
  modeOf,
  offerFlaw,
  placeIn,
  serverAddress,
  serverFailure,
  validityFlaw,
} from "../../../src/model/sources/opcua_words.ts";

Deno.test("endpoints that do not suit are answered with those that the server has", () => {
  const offer = (mode: number, policy: string, ...signs_in: ("anonymous" | "password")[]) => (
    { mode: modeOf(mode), policy, signs_in }
  );
  const offers = [offer(1, "None", "anonymous"), offer(3, "Basic256Sha256", "password")];
  const wanted = { security: "sign", policy: "Basic256Sha256", sign_in: "anonymous" } as const;
  assert.match(offerFlaw(offers, wanted)!, /does not offer security = "sign" with .* one of /);
  assert.match(offerFlaw(offers, { ...wanted, security: "sign_and_encrypt" })!, /but a user and/);
  assert.equal(offerFlaw(offers, { ...wanted, security: "none" }), undefined);
});

Deno.test("a certificate that is not valid now is told with the date here", () => {
  const span = { from: new Date("2026-05-01"), to: new Date("2026-06-01") };
  assert.equal(validityFlaw({ ...span, now: new Date("2026-05-20") }), undefined);
  assert.match(validityFlaw({ ...span, now: new Date("2026-07-02") })!, /expired on 2026-06-01/);
  assert.match(validityFlaw({ ...span, now: new Date("2025-05-20") })!, /2025-05-20: .*clocks/);
});

Deno.test("what a connection fails with says what to change", () => {
  const place = placeIn("opc.tcp://scada:4841/x");
  assert.deepEqual(place, { host: "scada", port: 4841, path: "/x" });
  assert.equal(serverAddress(placeIn("opc.tcp://[::1]")), "opc.tcp://[::1]:4840");
  const scene = { place, own_certificate: "/d/own.pem", timeout_ms: 500, is_known: false };
  const said = (message: string, more = {}) => {
    const { kind, message: words } = serverFailure(message, { ...scene, ...more });
    return `${kind}: ${words}`;
  };
  assert.match(said("connect ECONNREFUSED"), /^refused: .*port 4841.*usual port .* 4840/);
  assert.match(said("BadSecurityChecksFailed"), /^denied: .*have \/d\/own\.pem trusted there/);
  assert.match(said("x (BadIdentityTokenRejected)"), /^denied: .*user/);
  assert.match(said("disconnected by third party"), /^refused: what answers .*not speak OPC UA/);
  assert.equal(said("by third party", { is_known: true }), "refused: the connection broke");
  assert.match(said("Transaction has timed out"), /^timeouts: no answer within 0\.5 s/);
  assert.match(said("BadTcpEndpointUrlInvalid"), /no endpoint \/x/);
  assert.equal(said("BadOddThing\nmore"), "protocol: the server answers: BadOddThing");
});
