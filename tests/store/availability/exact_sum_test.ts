// Sums of a statement whose threads may add up in any order.
import { equal, ok } from "node:assert/strict";
import { Database } from "../../../src/store/database.ts";
import { exactSum } from "../../../src/store/availability/exact_sum.ts";
import { fakeEffects } from "../../help/effects.ts";
import { queryRows } from "../../help/query.ts";

Deno.test("a sum has the same digits in every order, a plain one has not", async () => {
  const { effects } = fakeEffects();
  const database = await Database.open({ path: ":memory:", effects, threads: 1 });
  const ordersOf = (sum: string) =>
    database.read((connection) =>
      queryRows(
        connection,
        `SELECT DISTINCT ${sum} AS total
         FROM range(40) AS orders(turn), LATERAL (
           SELECT 5e6 / (i + 3) AS watts FROM range(200) AS r(i) ORDER BY hash(i + 1000 * turn)
         )
         GROUP BY turn`,
      )
    );
  const [plain, exact] = [await ordersOf("sum(watts)"), await ordersOf(exactSum("watts"))];
  ok(plain.length > 1);
  equal(exact.length, 1);
  const [none] = await database.read((connection) =>
    queryRows(connection, `SELECT ${exactSum("n")} AS total FROM (SELECT 1.0 AS n) WHERE n > 2`)
  );
  equal(none.total, null);
  await database.close();
});
