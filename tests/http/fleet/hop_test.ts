// What a node believes of a request that says another node passed it on.
import { deepEqual, equal } from "node:assert/strict";
import { fleet_limits } from "../../../src/model/fleet/limits.ts";
import {
  dropHop,
  hopsOf,
  roundsOf,
  setTarget,
  signHop,
  targetOf,
} from "../../../src/http/fleet/hop.ts";

const now_ms = Date.UTC(2026, 5, 1);
const secret = "0123456789abcdef";
const made = (headers: Headers, path = "/a?b=c") => new Request(`http://node${path}`, { headers });

Deno.test("a hop of a node is counted, and a client's word for one is not", () => {
  const headers = new Headers({ authorization: "Bearer t", "x-forwarded-for": "10.0.0.9" });
  equal(hopsOf(made(headers), { secret, now_ms }), 0);
  setTarget(headers, 7);
  signHop(made(headers), { secret, now_ms, node: "a", headers });
  equal(hopsOf(made(headers), { secret, now_ms }), 1);
  equal(hopsOf(made(headers), { secret: "another-secret-of-it", now_ms }), 0);
  equal(hopsOf(made(headers, "/other"), { secret, now_ms }), 0, "signed for this address alone");
  for (const off_ms of [-fleet_limits.hop_ms, fleet_limits.hop_ms]) {
    equal(hopsOf(made(headers), { secret, now_ms: now_ms + off_ms }), 1);
    equal(hopsOf(made(headers), { secret, now_ms: now_ms + 2 * off_ms }), 0, "not for ever");
  }
  equal(hopsOf(made(headers), { secret, now_ms: NaN }), 0, "nor before the time is known");
  const late = new Headers(headers);
  late.set("x-fleet-time", `${now_ms + 60_000}`);
  equal(hopsOf(made(late), { secret, now_ms: now_ms + 60_000 }), 0, "nor with another time");
  const forged = new Headers(headers);
  forged.set("x-forwarded-for", "127.0.0.1");
  equal(hopsOf(made(forged), { secret, now_ms }), 0, "and for this client");
  equal(targetOf(made(headers)), 7);
  for (const name of ["x-fleet-shard", "x-fleet-parts"]) {
    const other = new Headers(headers);
    other.set(name, "8");
    equal(hopsOf(made(other), { secret, now_ms }), 0, `and for this ${name}`);
  }
  dropHop(headers);
  equal(hopsOf(made(headers), { secret, now_ms }), 0);
  equal([...headers.keys()].some((name) => name.startsWith("x-fleet")), false);
});

Deno.test("a hop is signed as nodes of other versions do, and believe", () => {
  const said = { authorization: "Bearer wk_t", "x-forwarded-for": "10.0.0.9" };
  // As it is sent between versions: this never changes.
  const wanted = {
    ...{ ...said, "x-fleet-hops": "1", "x-fleet-node": "a", "x-fleet-parts": "a,b;c" },
    ...{ "x-fleet-shard": "7", "x-fleet-time": "1780272000000" },
    "x-fleet-signature": "f9757cb9b9f5e45615e47c87c78008a98383c2ff9915c31792529161c0ebb4e1",
  };
  const path = "/platform/v1/signals?project_id=p";
  const headers = new Headers({ ...said, "x-fleet-parts": "a,b;c" });
  setTarget(headers, 7);
  signHop(made(headers, path), { secret, now_ms, node: "a", headers });
  deepEqual(Object.fromEntries(headers), wanted);
  // What a later version adds is none of this one's business.
  const later = new Headers({ ...wanted, "x-fleet-signature-2": "what" });
  equal(hopsOf(made(later, path), { secret, now_ms }), 1);
});

Deno.test("how often a request went round is counted, whoever says so", () => {
  const roundsSaid = (count: string) => roundsOf(made(new Headers({ "x-fleet-hops": count })));
  equal(roundsOf(made(new Headers())), 0);
  equal(["1", "7", "-3", "1.5", "many", ""].map(roundsSaid).join(), "1,7,0,1,0,0");
  const headers = new Headers();
  signHop(made(new Headers({ "x-fleet-hops": "1" })), { secret, now_ms, node: "a", headers });
  equal(headers.get("x-fleet-hops"), "2");
});
