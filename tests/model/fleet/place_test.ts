// Where a fleet's catalogue is, by the words of a setting.
import { equal, throws } from "node:assert/strict";
import { catalogPlace } from "../../../src/model/fleet/place.ts";

Deno.test("a catalogue is reached as its words say, and a word that is not kept is refused", () => {
  equal(catalogPlace("none"), undefined);
  equal(catalogPlace("postgres:host=db password=a=b")?.password, "a=b");
  equal(catalogPlace("postgres:host=db")?.ssl_mode, "disable");
  for (const mode of ["disable", "require", "verify-full"]) {
    equal(catalogPlace(`postgres:host=db sslmode=${mode}`)?.ssl_mode, mode);
  }
  const checked = catalogPlace("postgres:host=db sslmode=verify-full sslrootcert=/etc/ca.pem");
  equal(checked?.root_file, "/etc/ca.pem");
  const wanted = /its words are host, .*sslmode is one of disable, require, verify-full/;
  throws(() => catalogPlace("postgres:host=db sslmode=verify-ca"), wanted);
  throws(() => catalogPlace("postgres:host=db sslcert=a.pem"), wanted);
  throws(() => catalogPlace("postgres:host=db sslrootcert=a.pem"), /with sslmode=verify-full/);
  for (const host of ["10.0.0.1", "fe80::1", "/run/postgresql"]) {
    throws(() => catalogPlace(`postgres:host=${host} sslmode=verify-full`), /checks a name/);
  }
});
