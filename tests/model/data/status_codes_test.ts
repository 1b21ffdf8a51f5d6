// The table of OPC UA status codes, against the package that has the standard's.
import { deepEqual } from "node:assert/strict";
import { StatusCodes } from "node-opcua-status-code";
import status_codes from "../../../src/model/data/status_codes.json" with { type: "json" };

Deno.test("each status code without flags is there by its first name, in a fixed order", () => {
  const names = new Map<number, string>();
  for (const { name, value } of Object.values(StatusCodes)) {
    const code = (value & 0xffff0000) >>> 0;
    if (value === code && !names.has(code)) names.set(code, name);
  }
  deepEqual(Object.entries(status_codes), Array.from(names, ([code, name]) => [name, code]));
});
