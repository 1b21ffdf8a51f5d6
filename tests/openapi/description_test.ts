// Answers that are not as the description says are found, also where tests of others send them.
import { equal, rejects, throws } from "node:assert/strict";
import { Description } from "../help/description.ts";
import { testRoute } from "../help/frame.ts";

const row = { type: "object", required: ["id"], properties: { id: { type: "string" } } };
const route = testRoute({
  path: "/things",
  params: [],
  answer: { kind: "json", schema: { type: "array", items: row } },
});
const description = new Description([route]);
const checked = (response: Response, path = "/things") =>
  description.checked(new Request(`http://localhost${path}`), response);

Deno.test("an answer that is described passes, and is read as it was", async () => {
  const rows = [{ id: "a" }];
  equal(await checked(Response.json(rows)).text(), JSON.stringify(rows));
  equal((await checked(Response.json(rows)).json())[0].id, "a");
  await checked(Response.json("anything"), "/elsewhere").json();
});

Deno.test("a status that is not described is found", () => {
  throws(() => checked(Response.json([], { status: 202 })), /202 is not described/);
});

Deno.test("an answer of another shape is found when it is read", async () => {
  await rejects(checked(Response.json([{ id: 1 }])).json(), /must be string/);
  await rejects(checked(Response.json([{}])).text(), /must have required property 'id'/);
  const problem = { status: 400, headers: { "content-type": "application/problem+json" } };
  await rejects(checked(new Response("{}", problem)).json(), /required property 'type'/);
});
