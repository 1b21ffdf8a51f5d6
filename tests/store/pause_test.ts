// Pauses beside the database: timers have to fire once native code has run.
import { systemEffects } from "../../src/base/effects.ts";
import { Database } from "../../src/store/database.ts";
import { aTurn } from "../help/until.ts";

Deno.test("pauses one after the other end once the database has answered", async () => {
  const effects = systemEffects();
  const database = await Database.open({ path: ":memory:", effects });
  try {
    for (let i = 0; i < 3; i++) {
      await database.read((connection) => connection.script("SELECT 1"));
      for (let k = 0; k < 3; k++) await aTurn();
      for (let k = 0; k < 3; k++) await effects.sleep(1);
    }
  } finally {
    await database.close();
  }
});
