// What a subscription's words ask for, what an envelope holds, which headers may be added.
import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { alarm_event_types } from "../../../src/model/alarms/alarm.ts";
import {
  asksFor,
  envelopeOf,
  webhook_types,
  webhook_words,
} from "../../../src/model/webhooks/webhook.ts";
import { headerFlaws } from "../../../src/model/webhooks/subscription.ts";
import { issue_event_types } from "../../../src/model/work/issue.ts";
import { work_order_event_types } from "../../../src/model/work/work_order.ts";

Deno.test("a word asks for its type, its family, or everything", () => {
  const asked = (...words: readonly typeof webhook_words[number][]) =>
    webhook_types.filter((type) => asksFor(words, type));
  deepEqual(asked("*"), webhook_types);
  deepEqual(asked("alarm.*"), ["alarm.raised", "alarm.updated", "alarm.cleared", "alarm.resolved"]);
  deepEqual(asked("issue.deleted", "workorder.completed"), [
    "issue.deleted",
    "workorder.completed",
  ]);
  deepEqual(asked("workorder.*", "workorder.created").length, 4);
  deepEqual(asked(), []);
});

Deno.test("every event of work has its type, and those of alarms are words of theirs", () => {
  const work_event_types = [...issue_event_types, ...work_order_event_types];
  deepEqual(work_event_types.filter((type) => !webhook_types.includes(type)), []);
  const alarms = webhook_types.filter((type) => type.startsWith("alarm."))
    .map((type) => type.slice("alarm.".length)).filter((word) => word !== "updated");
  deepEqual(alarms.filter((word) => !alarm_event_types.some((type) => type === word)), []);
});

Deno.test("an envelope is JSON with the data as they were given", () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (data, id) => {
    const project = { id: "p", organization_id: "o" };
    const said = { id, type: "issue.updated", occurred_at: "2026-06-01T12:00:00Z" } as const;
    const text = JSON.stringify(data);
    const body = envelopeOf({ ...said, project, data: text });
    const { data: inner, ...head } = JSON.parse(body);
    deepEqual(head, { schema_version: 1, ...said, organization_id: "o", project_id: "p" });
    equal(JSON.stringify(inner), JSON.stringify(JSON.parse(text)));
    equal(body.slice(-text.length - 1), `${text}}`);
  }));
});

Deno.test("headers that pass are taken as they are, and none is the service's own", () => {
  const name = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom("Host", "x-svc-event-id", "Webhook-Id", "Proxy-Auth", "x-key", "X-Key"),
  );
  const value = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom("a\r\nb", "a\nb", "\0", " a", "a\t", "a\tb", "ü", ""),
  );
  fc.assert(
    fc.property(fc.dictionary(name, value, { maxKeys: 4 }), (headers) => {
      const flaws = headerFlaws(headers);
      for (const { path, message } of flaws) {
        equal(path.every((part) => part in headers), true);
        equal(/[\r\n\0]/.test(path.join() + message), false);
      }
      if (flaws.length > 0) return;
      const taken = new Headers(headers);
      equal([...taken].length, Object.keys(headers).length);
      for (const [name, value] of Object.entries(headers)) {
        equal(taken.get(name), value);
        equal(/^(x-svc-|webhook-|proxy-|host$)/i.test(name), false);
      }
    }),
    { numRuns: 1000 },
  );
});
