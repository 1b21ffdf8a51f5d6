// Bodies of alarms: rows taken as they are, and each bad one rejected with its reason.
import assert from "node:assert/strict";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { alarm_limits } from "../../../src/model/alarms/limits.ts";
import { Fault } from "../../../src/base/fault.ts";
import type { AlarmRejection, EventRow, SnapshotRow } from "../../../src/model/alarms/row.ts";
import { decodeAlarms } from "../../../src/wire/alarms/decode.ts";

const now_us = Date.parse("2026-06-01T12:00:00Z") * 1000;
const raised_us = Date.parse("2026-06-01T11:00:00Z") * 1000;

const snapshot = {
  occurrence_id: "a1",
  source: "scada:north",
  rule_name: "Over frequency",
  kind: "threshold",
  severity: "high",
  status: "open",
  resolution_policy: "auto",
  raised_at: "2026-06-01T11:00:00Z",
  updated_at: "2026-06-01T11:00:01Z",
  raised_value: 50.6,
  source_tag: "m1.f",
};

const event = {
  event_id: "e1",
  occurrence_id: "a1",
  type: "claimed",
  created_at: "2026-06-01T11:30:00+00:00",
};

type Options = { readonly type?: string; readonly encoding?: string; readonly piece?: number };

async function* piecesOf(bytes: Uint8Array, piece: number) {
  for (let at = 0; at < bytes.length; at += piece) yield bytes.slice(at, at + piece);
}

function decode(body: string | Uint8Array, options: Options = {}) {
  const { type = "application/x-ndjson", encoding = null, piece = 65_536 } = options;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return decodeAlarms(piecesOf(bytes, piece), { media_type: type, encoding, now_us });
}

const lines = (...rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");

/** The one rejection among three rows whose neighbours are taken. */
async function rejectionOf(bad: string | object): Promise<AlarmRejection> {
  const middle = typeof bad === "string" ? bad : JSON.stringify(bad);
  const { rows, rejected, rejected_count } = await decode(
    `${lines(snapshot)}\n${middle}\n${lines(event)}\n`,
  );
  assert.deepEqual(rows.map((row) => row.line), [1, 3], JSON.stringify(rejected));
  assert.equal(rejected_count, 1);
  assert.equal(rejected[0].line, 2);
  return rejected[0];
}

async function reasonOf(bad: string | object): Promise<string> {
  return (await rejectionOf(bad)).reason;
}

async function faultOf(body: string | Uint8Array, options?: Options): Promise<Fault> {
  const error = await decode(body, options).then(() => undefined, (error) => error);
  assert.ok(error instanceof Fault, `a Fault, not ${error}`);
  return error;
}

Deno.test("alarms are read from lines, a sequence and an array, packed or not", async () => {
  const text = `${lines(snapshot, event)}\n`;
  const array = JSON.stringify([snapshot, event]);
  const bodies: readonly (readonly [string | Uint8Array, Options])[] = [
    [text, {}],
    [text, { piece: 3 }],
    [text.trim(), {}],
    [`\ufeff\x1e${text.replace("\n", "\n\x1e")}`, { type: "application/json-seq" }],
    [array, { type: "application/json; charset=utf-8" }],
    [array, { type: "application/json", piece: 1 }],
    [gzipSync(text), { encoding: "gzip" }],
    [zstdCompressSync(text), { encoding: "zstd" }],
  ];
  for (const [body, options] of bodies) {
    const { rows, rejected } = await decode(body, options);
    assert.deepEqual(rejected, []);
    const [first, second] = rows as [SnapshotRow, EventRow];
    assert.equal(first.state.raised_at, raised_us);
    assert.equal(first.state.cleared_at, null);
    assert.deepEqual(first.queue, { status: "open", resolution: null });
    assert.deepEqual([first.site, first.state.is_nerc, first.events], [null, false, []]);
    assert.equal(second.event.event_id, "e1");
    assert.equal(second.event.kind, "source");
    assert.equal(second.event.created_at, raised_us + 1_800_000_000);
  }
});

Deno.test("words that are not known here are kept as they are", async () => {
  const words = { kind: "fuzzy", severity: "apocalyptic", alarm_class: "wet socks" };
  const odd = { ...event, event_id: "e2", type: "sneezed", kind: "gremlin" };
  const { rows } = await decode(lines({ ...snapshot, ...words, events: [odd] }));
  const [{ state, events }] = rows as [SnapshotRow];
  assert.deepEqual(
    [state.kind, state.severity, state.alarm_class],
    ["fuzzy", "apocalyptic", "wet socks"],
  );
  assert.deepEqual([events[0].type, events[0].kind], ["sneezed", "gremlin"]);
});

Deno.test("what the service says of itself is not looked at: an export can be sent", async () => {
  const ours = {
    svc_occurrence_ref: "occ-000000000001",
    synced_at: "whenever",
    organization_id: "o",
    project_id: "another",
    device_id: null,
    device_name: "I 1",
    device_type: "inverter",
    parent_device_id: null,
    events_total: 70,
    events_truncated: true,
    events: [{ ...event, svc_occurrence_ref: "occ-000000000001", synced_at: 5 }],
  };
  const { rows, rejected } = await decode(lines({ ...snapshot, ...ours }));
  assert.deepEqual(rejected, []);
  assert.deepEqual(Object.keys(rows[0]).includes("device_id"), false);
});

Deno.test("numbers keep their digits, free data its keys", async () => {
  const row = lines(snapshot).replace("50.6", "18446744073709551615").slice(0, -1) +
    `,"params":{"mask":9223372036854775809,"__proto__":{"x":1},"share":0.1},` +
    `"events":[{"event_id":"e","type":"t","created_at":"2026-06-01T11:00:00Z",` +
    `"detail":{"id":12345678901234567890,"n":[1,2.5]}}]}`;
  const { rows, rejected } = await decode(row);
  assert.deepEqual(rejected, []);
  const [{ state, events }] = rows as [SnapshotRow];
  assert.equal(state.raised_value, 2 ** 64);
  assert.equal(
    state.params,
    `{"mask":"9223372036854775809","__proto__":{"x":1},"share":0.1}`,
  );
  assert.deepEqual(events[0].detail, { id: "12345678901234567890", n: [1, 2.5] });
});

Deno.test("a wrong field rejects its row and says what is wanted", async () => {
  const wrong: readonly (readonly [object, string])[] = [
    [{ cleared_at: "2026-06-01T10:59:59.999999Z" }, "cleared_at: lies before raised_at"],
    [
      { status: "opened" },
      'status: give one of open, claimed, shelved, resolved, not "opened"; meant open?',
    ],
    [
      { resolution_policy: "magic" },
      "resolution_policy: give one of auto, manual, require_both",
    ],
    [{ raised_at: "2026-06-01T11:00:00" }, "raised_at: has no offset: 2026-06-01T11:00:00"],
    [{ raised_at: 1780311600 }, "raised_at: give a text, in quotation marks"],
    [
      { updated_at: "2026-02-30T00:00:00Z" },
      "updated_at: names a day that does not exist, 2026-02 has 28 days",
    ],
    [{ updated_at: "2026-06-01T12:10:00.000001Z" }, "updated_at: lies more than 10 minutes ahead"],
    [{ raised_value: "50.6" }, "raised_value: give a"],
    [{ raised_value: undefined }, "raised_value: is missing"],
    [{ raised_value: null }, "raised_value: give a"],
    [{ is_nerc: 1 }, "is_nerc: give true or false"],
    [{ decoded_labels: "Fan" }, "decoded_labels: give a list"],
    [{ decoded_labels: [7] }, "decoded_labels[0]: give a text, in quotation marks"],
    [{ rasied_value: 1 }, "rasied_value: there is no such key; meant raised_value?"],
    [{ occurrence_id: "" }, "occurrence_id: give at least 1 character"],
    [{ source_tag: "a\u0000b" }, "source_tag: give a text without control characters"],
    [{ resolution: "done", status: undefined }, "status: is missing, but a resolution is given"],
    [{ events: [{ ...event, occurrence_id: "a2" }] }, "events[0].occurrence_id: is another one"],
    [{ events: [{ ...event, created_at: "soon" }] }, "events[0].created_at: must be an ISO 8601"],
    [
      { events: [{ ...event, tpye: "x" }] },
      "events[0].tpye: there is no such key; meant type?",
    ],
    [
      { rule_description: "x".repeat(alarm_limits.text_length + 1) },
      `rule_description: give at most ${alarm_limits.text_length} characters`,
    ],
    [{ params: { note: "\ud800" } }, "params: holds half of a surrogate pair"],
    [{ params: { note: "a\0" } }, "params: holds a NUL character"],
    [
      { params: "x".repeat(alarm_limits.json_length) },
      `params: is longer than ${alarm_limits.json_length} characters`,
    ],
  ];
  for (const [fields, reason] of wrong) {
    const { reason: said, occurrence_id } = await rejectionOf({ ...snapshot, ...fields });
    assert.ok(said.startsWith(reason), `${said}, not ${reason}`);
    assert.equal(occurrence_id, "occurrence_id" in fields ? null : "a1");
  }
});

Deno.test("a wrong event rejects its row", async () => {
  assert.equal(await reasonOf({ ...event, type: undefined }), "type: is missing");
  assert.equal(await reasonOf({ ...event, occurrence_id: undefined }), "occurrence_id: is missing");
  assert.equal(
    await reasonOf({ ...event, body: "half \ud800" }),
    "body: holds half of a surrogate pair",
  );
  assert.equal(await reasonOf({ ...event, body: 5 }), "body: give a text, in quotation marks");
  assert.equal(
    await reasonOf({ ...event, created_at: "2027-06-01T00:00:00Z" }),
    "created_at: lies more than 10 minutes ahead",
  );
});

Deno.test("a text of 10 MB rejects its row and nothing else", async () => {
  const huge = "x".repeat(10_000_000);
  const too_long = `is longer than ${alarm_limits.line_bytes} bytes`;
  assert.equal(await reasonOf({ ...event, body: huge }), too_long);
  const array = JSON.stringify([snapshot, { ...event, body: huge }, event]);
  const { rows, rejected } = await decode(array, { type: "application/json" });
  assert.deepEqual(rows.map((row) => row.line), [1, 3]);
  assert.deepEqual(rejected, [{ line: 2, occurrence_id: null, reason: too_long }]);
});

Deno.test("text that is no JSON of one meaning rejects its row", async () => {
  const text = JSON.stringify(event);
  const wrong: readonly (readonly [string, RegExp])[] = [
    ["{nonsense}", /^is not JSON: /],
    [`${text} trailing`, /^is not JSON: /],
    [text.slice(0, -5), /^is not JSON: the line ends inside its object$/],
    ["[1]", /^must be a JSON object$/],
    ["null", /^must be a JSON object$/],
    [text.replace("{", `{"type":"raised",`), /^has a key twice in one object$/],
    [text.replace("{", `{"detail":{"a":1,"\\u0061":2},`), /^has a key twice in one object$/],
    [
      text.replace("{", `{"__proto__":{"type":"x"},`),
      /^__proto__: there is no such key; known are /,
    ],
    [text.replace("{", `{"detail":{"x":1e400},`), /^detail: holds a number beyond the range/],
    [text.replace("{", `{"detail":${"[".repeat(20)}1${"]".repeat(20)},`), /^is nested deeper than/],
    [text.replace("{", `{"body":"a\nb",`).replace("\n", "\t"), /^is not JSON: /],
    [lines(snapshot).replace("50.6", "1e400"), /^raised_value: give a/],
  ];
  for (const [row, reason] of wrong) assert.match(await reasonOf(row), reason, row);
});

Deno.test("bytes that are not UTF-8 reject their row", async () => {
  const bytes = new TextEncoder().encode(`${lines(event)}\n${lines(event)}\n`);
  bytes[bytes.indexOf(0x61)] = 0xff;
  const { rows, rejected } = await decode(bytes);
  assert.equal(rows.length, 1);
  assert.equal(rejected[0].reason, "is not UTF-8");
});

Deno.test("a body that breaks off, of another type or too long is refused whole", async () => {
  assert.equal((await faultOf(lines(snapshot, event).slice(0, -3))).code, "invalid");
  const array = { type: "application/json" };
  assert.equal((await faultOf(JSON.stringify([event]).slice(0, -1), array)).code, "invalid");
  assert.equal((await faultOf(lines(event), { type: "text/csv" })).code, "unsupported_media");
  const many = { ...snapshot, events: Array.from({ length: 5_000 }, () => ({ ...event })) };
  const rows = Array.from({ length: alarm_limits.rows / 5_000 }, () => many);
  assert.equal((await faultOf(lines(...rows))).code, "too_large");
  assert.equal((await faultOf("x\n".repeat(alarm_limits.rows + 1))).code, "too_large");
});
