// Tests the lists of issues, work orders and rules as tables.
import { deepEqual, equal } from "node:assert/strict";
import { tableFromIPC } from "apache-arrow";
import { openWork } from "./work_help.ts";

Deno.test("issues and work orders are tables too, what is nested in them as JSON", async () => {
  const { post, fetch, at, deviceOf, anna, close } = await openWork();
  const description = `=cmd|' /C calc'!A1, "now"\nü`;
  const device_id = deviceOf("A").id;
  const made = await post("issues", {
    name: "Fan, loud",
    description,
    devices: [{ device_id }],
    assigned_to: anna.id,
  });
  equal(made.status, 201, JSON.stringify(made.data));
  const order = await post("work-orders", { title: "@home", issue_id: made.data.id });
  equal(order.status, 201, JSON.stringify(order.data));
  const read = async (path: string) => {
    const answer = await fetch(at(path));
    equal(answer.status, 200, path);
    return answer;
  };
  equal(
    await (await read("issues?format=csv&columns=number,name,description,merged_into,project"))
      .text(),
    "number,name,description,merged_into,project\r\n" +
      `1,"Fan, loud","'=cmd|' /C calc'!A1, ""now""\nü",,"{""key"":""p-a""}"\r\n`,
  );
  equal(
    await (await read("work-orders?format=csv&columns=title,priority")).text(),
    "title,priority\r\n'@home,medium\r\n",
  );
  const [issue] = await (await read("issues")).json();
  const [row] = tableFromIPC(await (await read("issues?format=arrow")).bytes()).toArray();
  equal(row.description, description);
  deepEqual(JSON.parse(row.devices), issue.devices);
  deepEqual(JSON.parse(row.assigned_to), issue.assigned_to);
  const lines = await (await read("issues?format=ndjson")).text();
  deepEqual(JSON.parse(lines), issue);
  await close();
});

Deno.test("a list without a row is a table without a row", async () => {
  const { fetch, at, close } = await openWork();
  const read = async (path: string) => await (await fetch(at(path))).bytes();
  const texts = new TextDecoder();
  equal(texts.decode(await read("issues?format=csv&columns=id,name")), "id,name\r\n");
  equal(texts.decode(await read("issues?columns=id")), "[]\n");
  equal(tableFromIPC(await read("work-orders?format=arrow")).numRows, 0);
  await close();
});

Deno.test("the rules in effect are a table too, each definition as JSON", async () => {
  const { send, fetch, at, close } = await openWork();
  const rule = { name: "Silent, by far", kind: "stale", max_age_s: 900, tag: "a.p" };
  equal((await send("PUT", at("rules/silent"), { body: rule })).status, 201);
  const columns = "key,version,origin,author,valid_to,tags_watched";
  const csv = await fetch(at(`rules?format=csv&columns=${columns}`));
  equal(await csv.text(), `${columns}\r\nsilent,1,api,test,,1\r\n`);
  const lines = await (await fetch(at("rules?format=ndjson"))).text();
  const [whole] = await (await fetch(at("rules"))).json();
  deepEqual(JSON.parse(lines), whole);
  await close();
});
