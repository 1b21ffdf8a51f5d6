// The rules of the house, each on the sources as they stand and on files that break it.
import { deepEqual, equal, fail, notDeepEqual, notEqual, throws } from "node:assert/strict";
import { floor_rules } from "./tidy/floors.ts";
import { houseOf, readHouse } from "./tidy/house.ts";
import { statement_rules } from "./tidy/statements.ts";
import { style_rules } from "./tidy/styles.ts";
import { text_rules } from "./tidy/text.ts";
import { use_rules } from "./tidy/use.ts";
import { word_rules } from "./tidy/words.ts";

const house = readHouse();

for (
  const { name, find, broken } of [
    ...floor_rules,
    ...text_rules,
    ...use_rules,
    ...word_rules,
    ...statement_rules,
    ...style_rules,
  ]
) {
  Deno.test(name, () => {
    const wrong = find(house);
    if (wrong.length > 0) fail(`\n${wrong.join("\n")}`);
  });

  Deno.test(`${name}: a case that breaks it is found`, () => {
    if (find(houseOf(broken)).length === 0) fail("nothing was found");
  });
}

Deno.test("assertions by name are the strict ones", () => {
  throws(() => equal(-0, 0));
  throws(() => deepEqual({ count: "1" }, { count: 1 }));
  notEqual("1", 1);
  notDeepEqual([true], [1]);
});
