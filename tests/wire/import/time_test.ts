// How times of tables are recognised, read, and set on a wall clock that changes.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  announcedForm,
  detectTimeForm,
  time_forms,
  type TimeForm,
} from "../../../src/wire/import/time.ts";
import { announcedOffsets } from "../../../src/wire/import/zone_mark.ts";
import { WallTime } from "../../../src/wire/import/wall_time.ts";

const forms: readonly [text: string, form: TimeForm, iso: string][] = [
  ["2026-11-21 05:00", "iso", "2026-11-21T05:00:00Z"],
  ["2026-11-21T05:00:30.25", "iso", "2026-11-21T05:00:30.250Z"],
  ["2026/11/21 5:00:00", "iso", "2026-11-21T05:00:00Z"],
  ["2026-11-21", "iso", "2026-11-21T00:00:00Z"],
  ["2026-11-20 24:00:00", "iso", "2026-11-21T00:00:00Z"],
  ["11/21/2026 5:00", "mdy", "2026-11-21T05:00:00Z"],
  ["11/21/2026 12:30:00 AM", "mdy", "2026-11-21T00:30:00Z"],
  ["11/21/26 12:30 pm", "mdy", "2026-11-21T12:30:00Z"],
  ["21.11.2026 05:00:00", "dmy", "2026-11-21T05:00:00Z"],
  ["21/11/2026 05:00", "dmy", "2026-11-21T05:00:00Z"],
  ["21-Nov-26 05:00:00", "dby", "2026-11-21T05:00:00Z"],
  ["21 November 2026 05:00", "dby", "2026-11-21T05:00:00Z"],
  ["20261121 0500", "packed", "2026-11-21T05:00:00Z"],
  ["20261121050030", "packed", "2026-11-21T05:00:30Z"],
  ["2026-11-21T05:00:00.000000+00:00", "iso", "2026-11-21T05:00:00Z"],
  ["2026年11月21日 5:00", "iso", "2026-11-21T05:00:00Z"],
  ["21/11/2026, 05:00:00", "dmy", "2026-11-21T05:00:00Z"],
  ["21.11.2026 05.00.30", "dmy", "2026-11-21T05:00:30Z"],
  ["01.02.2026 05:00", "dmy", "2026-02-01T05:00:00Z"],
  ["21/11/2026 5:00 p. m.", "dmy", "2026-11-21T17:00:00Z"],
  ["2026-11-21 下午5:00", "iso", "2026-11-21T17:00:00Z"],
  ["21. März 2026 05:00", "dby", "2026-03-21T05:00:00Z"],
  ["21 févr. 2026 05:00", "dby", "2026-02-21T05:00:00Z"],
  ["21 de noviembre de 2026 05:00", "dby", "2026-11-21T05:00:00Z"],
  ["21 listopada 2026 05:00", "dby", "2026-11-21T05:00:00Z"],
  ["21 декабря 2026 05:00", "dby", "2026-12-21T05:00:00Z"],
  ["Nov 21, 2026 5:00 AM", "dby", "2026-11-21T05:00:00Z"],
  ["46347.2083333", "excel", "2026-11-21T05:00:00Z"],
  ["46347.20868", "excel", "2026-11-21T05:00:30Z"],
  ["46347", "excel", "2026-11-21T00:00:00Z"],
  ["1795237200000000000", "epoch_ns", "2026-11-21T05:00:00Z"],
  ["1795237200", "epoch_s", "2026-11-21T05:00:00Z"],
  ["1795237200000", "epoch_ms", "2026-11-21T05:00:00Z"],
  ["1795237200000000", "epoch_us", "2026-11-21T05:00:00Z"],
];

for (const [text, form, iso] of forms) {
  Deno.test(`import time: ${text} is found to be ${form}`, () => {
    assert.equal(detectTimeForm([text], { complete: true }), form);
    assert.equal(time_forms[form].read(text)?.wall_us, Date.parse(iso) * 1000);
  });
}

const parts: readonly [text: string, form: TimeForm, iso: string][] = [
  ["2026 325 0500", "ydoy", "2026-11-21T05:00:00Z"],
  ["2026 325 500", "ydoy", "2026-11-21T05:00:00Z"],
  ["2026 325 5", "ydoy", "2026-11-21T00:05:00Z"],
  ["2026 325 05:00", "ydoy", "2026-11-21T05:00:00Z"],
  ["2026-325", "ydoy", "2026-11-21T00:00:00Z"],
  ["2026 11 21 5 0", "parts", "2026-11-21T05:00:00Z"],
  ["2026 11 21", "parts", "2026-11-21T00:00:00Z"],
];

for (const [text, form, iso] of parts) {
  Deno.test(`import time: ${text} as ${form} is ${iso}`, () => {
    assert.equal(time_forms[form].read(text)?.wall_us, Date.parse(iso) * 1000);
  });
}

for (const text of ["2026 0 0500", "2026 367 0500", "2026 325 2460", "2026 13 1 0 0"]) {
  Deno.test(`import time: ${text} is no time in parts`, () => {
    assert.equal(time_forms.ydoy.read(text), undefined);
    assert.equal(time_forms.parts.read(text), undefined);
  });
}

const offsets: readonly [text: string, minutes: number | null][] = [
  ["2026-11-21 05:00", null],
  ["2026-11-21 05:00Z", 0],
  ["2026-11-21 05:00 UTC+2", 120],
  ["2026-11-21 05:00 GMT-3:30", -210],
  ["2026-11-21 05:00 UTC+02", 120],
  ["2026-11-21 05:00 -0700", -420],
  ["21.10.2026 05:00 CEST", 120],
  ["21.10.2026 05:00 MEZ", 60],
];

for (const [text, minutes] of offsets) {
  Deno.test(`import time: ${text} says the offset ${minutes}`, () => {
    const form = /^\d{4}/.test(text) ? "iso" : "dmy";
    const written = time_forms[form].read(text);
    assert.equal(written?.offset_minutes ?? null, minutes);
  });
}

const headers: readonly [text: string, form: TimeForm | undefined, minutes: number | undefined][] =
  [
    ["dd/MM/yyyy HH:mm:ss", "dmy", undefined],
    ["DATE (MM/DD/YYYY) MST", "mdy", -420],
    ["[dd.MM.yyyy HH:mm]", "dmy", undefined],
    ["yyyy-MM-dd", "iso", undefined],
    ["Time (UTC)", undefined, 0],
    ["timestamp_utc", undefined, 0],
    ["Local time UTC+1", undefined, 60],
    ["Zeit [GMT-03:30]", undefined, -210],
    ["Met", undefined, undefined],
    ["Time", undefined, undefined],
  ];

for (const [text, form, minutes] of headers) {
  Deno.test(`import time: the header ${text} announces ${form} and ${minutes}`, () => {
    assert.equal(announcedForm(text), form);
    assert.equal(announcedOffsets(text)[0], minutes);
  });
}

Deno.test("import time: newest rows first, the doubled hour is read backwards", () => {
  const wall = new WallTime("America/Denver", { falling: true });
  const at = (text: string) => wall.instantOf(Date.parse(`2026-11-01T${text}:00Z`) * 1000);
  const shown = ["02:00", "01:30", "01:00", "01:30", "01:00", "00:30"].map((text) =>
    new Date(at(text) / 1000).toISOString().slice(11, 16)
  );
  assert.deepEqual(shown, ["09:00", "08:30", "08:00", "07:30", "07:00", "06:30"]);
});

for (
  const text of [
    "2026-02-30 00:00",
    "2026-11-21 25:00",
    "2026-11-21 24:01",
    "2026-11-21 05:60",
    "1969-12-31 00:00",
    "9999-01-01 00:00",
    "13/13/2026 00:00",
    "11/21/2026 13:00 PM",
    "0",
    "12",
    "yesterday",
    "",
  ]
) {
  Deno.test(`import time: ${JSON.stringify(text)} is refused by every form`, () => {
    assert.throws(() => detectTimeForm([text], { complete: true }), /no known form of time/);
  });
}

Deno.test("import time: a number over 12 anywhere tells day from month", () => {
  const times = ["01/02/2026 00:00", "02/02/2026 00:00", "13/02/2026 00:00"];
  assert.equal(detectTimeForm(times, { complete: true }), "dmy");
});

Deno.test("import time: minutes that run over midnight tell day from month", () => {
  const minutes = (first: string, second: string) => [
    `${first} 23:58`,
    `${first} 23:59`,
    `${second} 00:00`,
    `${second} 00:01`,
  ];
  assert.equal(
    detectTimeForm(minutes("01/02/2026", "02/02/2026"), { complete: true }),
    "dmy",
  );
  assert.equal(
    detectTimeForm(minutes("01/02/2026", "01/03/2026"), { complete: true }),
    "mdy",
  );
});

Deno.test("import time: day and month that can't be told apart are refused", () => {
  for (
    const times of [
      ["02/03/2026 00:00", "02/03/2026 00:01"],
      ["01/01/2026 00:00", "02/01/2026 00:00", "03/01/2026 00:00"],
    ]
  ) {
    assert.throws(
      () => detectTimeForm(times, { complete: true }),
      /can't tell day, month and year apart/,
    );
  }
  assert.throws(() => detectTimeForm(["11/11/2026 00:00"], { complete: false }), /can't tell/);
  assert.equal(detectTimeForm(["11/11/2026 00:00"], { complete: true }), "mdy");
});

Deno.test("wall time: the autumn hour is the first pass until rows go back", () => {
  const wall = new WallTime("America/Denver");
  const at = (text: string) => wall.instantOf(Date.parse(`2026-11-01T${text}:00Z`) * 1000);
  const shown = ["00:30", "01:00", "01:30", "01:00", "01:30", "02:00"].map((text) =>
    new Date(at(text) / 1000).toISOString().slice(11, 16)
  );
  assert.deepEqual(shown, ["06:30", "07:00", "07:30", "08:00", "08:30", "09:00"]);
});

Deno.test("wall time: hourly rows show the doubled hour twice", () => {
  const hourly = new WallTime("Europe/Madrid");
  const hour = (text: string) => hourly.instantOf(Date.parse(`2026-10-25T${text}:00Z`) * 1000);
  assert.deepEqual(
    ["01:00", "02:00", "02:00", "03:00"].map((it) => new Date(hour(it) / 1000).getUTCHours()),
    [23, 0, 1, 2],
  );
  const coarse = new WallTime("Europe/Madrid");
  const minute = (text: string) => coarse.instantOf(Date.parse(`2026-10-25T${text}:00Z`) * 1000);
  assert.deepEqual(
    ["02:00", "02:00", "02:01", "02:00"].map((it) => new Date(minute(it) / 1000).getUTCHours()),
    [0, 0, 0, 1],
  );
});

Deno.test("wall time: a time that the clock skips is none, but at a fixed offset", () => {
  const skipped = Date.parse("2026-03-08T02:30:00Z") * 1000;
  assert(Number.isNaN(new WallTime("America/Denver").instantOf(skipped)));
  assert.equal(new WallTime("-07:00").instantOf(skipped), skipped + 7 * 3_600_000_000);
  assert.equal(new WallTime("Z").instantOf(skipped), skipped);
  assert.throws(
    () => new WallTime("Amerika/Denver"),
    /"Amerika\/Denver" is not an IANA time zone; meant America\/Denver\?/,
  );
});

Deno.test("wall time: every instant of a year comes back from its wall-clock time", () => {
  const begin_us = Date.parse("2026-01-01T00:00:00Z") * 1000;
  const zones = ["America/Denver", "Europe/Madrid", "Australia/Lord_Howe", "Asia/Kathmandu"];
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 364 }), (zone, day) => {
      const wall = new WallTime(zone);
      for (let minute = 0; minute < 2880; minute += 10) {
        const us = begin_us + (day * 1440 + minute) * 60_000_000;
        const offset_ns = Temporal.Instant.fromEpochMilliseconds(us / 1000)
          .toZonedDateTimeISO(zone).offsetNanoseconds;
        assert.equal(wall.instantOf(us + offset_ns / 1000), us);
      }
    }),
    { numRuns: 60 },
  );
});
