// What a node believes of a request that says another node passed it on.
import { equal } from "node:assert/strict";
import { dropHop, hopsOf, setTarget, signHop, targetOf } from "../../../src/http/fleet/hop.ts";

const secret = "0123456789abcdef";
const made = (headers: Headers, path = "/a?b=c") => new Request(`http://node${path}`, { headers });

Deno.test("a hop of a node is counted, and a client's word for one is not", () => {
  const headers = new Headers({ authorization: "Bearer t", "x-forwarded-for": "10.0.0.9" });
  equal(hopsOf(made(headers), { secret }), 0);
  setTarget(headers, 7);
  signHop(made(headers), { secret, node: "a", headers, hops: 0 });
  equal(hopsOf(made(headers), { secret }), 1);
  equal(hopsOf(made(headers), { secret: "another-secret-of-it" }), 0);
  equal(hopsOf(made(headers, "/other"), { secret }), 0, "signed for this address alone");
  const forged = new Headers(headers);
  forged.set("x-forwarded-for", "127.0.0.1");
  equal(hopsOf(made(forged), { secret }), 0, "and for this client");
  equal(targetOf(made(headers)), 7);
  for (const name of ["x-fleet-shard", "x-fleet-parts"]) {
    const other = new Headers(headers);
    other.set(name, "8");
    equal(hopsOf(made(other), { secret }), 0, `and for this ${name}`);
  }
  dropHop(headers);
  equal(hopsOf(made(headers), { secret }), 0);
  equal([...headers.keys()].some((name) => name.startsWith("x-fleet")), false);
});
