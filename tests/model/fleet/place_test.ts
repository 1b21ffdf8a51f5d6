// Where a fleet's catalogue is, by the words of a setting.
import { equal, throws } from "node:assert/strict";
import { catalogPlace } from "../../../src/model/fleet/place.ts";

Deno.test("a catalogue is reached as its words say, and a word that is not kept is refused", () => {
  equal(catalogPlace("none"), undefined);
  equal(catalogPlace("postgres:host=db password=a=b")?.password, "a=b");
  equal(catalogPlace("postgres:host=db")?.is_secure, false);
  equal(catalogPlace("postgres:host=db sslmode=disable")?.is_secure, false);
  equal(catalogPlace("postgres:host=db sslmode=require")?.is_secure, true);
  const wanted = /its words are host, .*sslmode is disable or require/;
  throws(() => catalogPlace("postgres:host=db sslmode=verify-full"), wanted);
  throws(() => catalogPlace("postgres:host=db sslrootcert=a.pem"), wanted);
});
