// Minutes of a quarter-hour that is stored by its samples alone, while one of these is corrected.
import { deepEqual, equal } from "node:assert/strict";
import { queryRows } from "../../help/query.ts";
import { openSite } from "../../help/raw.ts";

Deno.test("a minute keeps its value until a corrected sample is rolled up", async () => {
  const open = await openSite({}, { at: "2026-06-02T12:00:00Z" });
  const at = (minute: number) => `2026-06-01T10:${String(minute).padStart(2, "0")}:00Z`;
  const sample = (minute: number, value: number) =>
    JSON.stringify({ tag: "x", ts: at(minute), value });
  const minutes = Array.from({ length: 30 }, (_, minute) => minute);
  const values = async () =>
    (await open.signals({ tag: "x", resolution: "1m" }))
      .filter(({ carried }) => !carried).map(({ value }) => value);
  const wholes = async () => {
    const [{ n }] = await open.services.database.read((connection) =>
      queryRows<{ n: number }>(connection, "SELECT count(*)::INTEGER AS n FROM whole_quarter")
    );
    return n;
  };
  try {
    await open.send(minutes.map((minute) => sample(minute, minute)).join("\n"));
    await open.settle();
    equal(await wholes(), 2);
    deepEqual(await values(), minutes);
    await open.send([sample(7, 700), sample(8, 8)].join("\n"));
    equal(await wholes(), 1, "the quarter-hour with another sample is stored minute by minute");
    deepEqual(await values(), minutes);
    await open.settle();
    deepEqual(await values(), minutes.with(7, 700));
    await open.send(sample(20, 20));
    equal(await wholes(), 1, "the same again changes nothing");
  } finally {
    await open.close();
  }
});
