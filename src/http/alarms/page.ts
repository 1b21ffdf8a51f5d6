// The page that explains alarms: their life, rules, times, nuisance, feed, rows and figures.
import { html } from "@hono/hono/html";
import { z } from "zod";
import { limits } from "../../base/limits.ts";
import { suspension_kind } from "../../engine/rules/suspend.ts";
import { report_schema } from "../../model/alarms/report_form.ts";
import { kind_documentation, kinds } from "../../model/rules/kinds.ts";
import { alarm_row_schema } from "../../wire/alarms/decode_row.ts";
import { event_kind_docs, life, policy_docs } from "./word.ts";
import { back, code, type Html, page, row, table } from "../page/html.ts";
import { fieldRows, figureRows, type Schema } from "../page/schema_table.ts";

/** Everything that the fields and endpoints of alarms mean. */
export function alarmPage(): Html {
  return page("Wattkeeper alarms", [
    back("Alarms"),
    html`
      <p>An alarm is an <em>occurrence</em>: it is raised, has a life, and ends. It stands on two
      axes that do not depend on each other: its condition (<code>cleared_at</code> is null while
      the condition holds) and its place in the operators' queue (<code>status</code>). Every step
      is an event of its timeline. Alarms come from rules that are evaluated here, or from a source
      system. Endpoints: <a href="/docs#alarms">reading</a>,
      <a href="/docs#alarm_claim">acting</a>, <a href="/docs#ingest_alarms">sending</a>,
      <a href="/docs#rules">rules</a>, <a href="/docs#alarm_report">figures</a>.</p>
      <nav aria-label="Contents">
        <ul>${contents.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
      </nav>
    `,
    ...lifeSection(),
    ...ruleSection(),
    timeSection(),
    nuisanceSection(),
    ...readSection(),
    ...sendSection(),
    ...reportSection(),
  ]);
}

const contents = [
  ["life", "Life"],
  ["policies", "Policies"],
  ["events", "Events"],
  ["rules", "Rules"],
  ["params", "Limits in params"],
  ["times", "Times, delays, late samples"],
  ["nuisance", "Chattering, floods, inhibition"],
  ["reading", "List and feed"],
  ["stream", "Stream"],
  ["sending", "Sending alarms"],
  ["figures", "Figures"],
] as const;

function lifeSection(): readonly Html[] {
  const steps = life.map(({ from, action, to, event }) => row([from, action, to, code(event)]));
  return [
    html`
      <h2 id="life">Life</h2>
      <p>What the table does not have is refused with 409 and the reason. The same action by the
      same user again changes nothing and answers the same. An occurrence that has ended never
      comes back: a new one is raised. Resolving while the condition holds raises nothing until it
      has gone once.</p>
    `,
    table(["from", "action", "to", "event"], steps),
    html`
      <h2 id="policies">Policies</h2>
      <p><code>resolution_policy</code> says when an occurrence ends.</p>
    `,
    table(["policy", "ends"], wordRows(policy_docs)),
    html`
      <h2 id="events">Events</h2>
      <p>An event's <code>kind</code> says who or what it came from. Events that the service makes
      have an <code>event_id</code> of the form <code>wk-000001</code>, rising in their occurrence.
      <code>user_email</code> is personal data.</p>
    `,
    table(["kind", ""], wordRows(event_kind_docs)),
  ];
}

function ruleSection(): readonly Html[] {
  const docs = kind_documentation.map((it) => (
    { ...it, form: z.toJSONSchema(kinds[it.kind].form, { io: "input" }) as Schema }
  ));
  const isCommon = (name: string) =>
    name !== "kind" && docs.every(({ form: { properties = {} } }) => name in properties);
  return [
    html`
      <h2 id="rules">Rules</h2>
      <p>Rules stand in a site file (<code>[[rules]]</code>) or are made by the API. Every change is
      a new version; an occurrence tells the version that fired. Limits are in the measure's unit
      where a rule names a measure, else in the source's. Times are in seconds. A rule that is
      removed or disabled clears its alarms.
      <code>wattkeeper rule test FILE --from … --to …</code> shows what rules would have raised in
      the past.</p>
    `,
    ...docs.flatMap(({ kind, holds, form }) => [
      html`
        <h3 id="rule-${kind}">${kind}</h3>
        <p>${holds}</p>
      `,
      table(
        ["field", "form", "", ""],
        fieldRows(form, (name) => name !== "kind" && !isCommon(name)),
      ),
    ]),
    html`
      <h3 id="rule-every">Every rule</h3>
    `,
    table(["field", "form", "", ""], fieldRows(docs[0].form, isCommon)),
    html`
      <h3 id="rule-suspended">A rule that fails</h3>
      <p>Where the service itself fails at a rule, the rule alone is suspended: samples are stored
      and all other rules go on. Its alarms are cleared, and an occurrence of kind
      <code>${suspension_kind}</code> says why in the body of its raised event;
      <code>raised_value</code> is the number of tags that it watched. It watches again once it is
      changed, or when the service starts the next time, and the occurrence is then cleared.</p>
    `,
    html`
      <h2 id="params">Limits in params</h2>
      <p><code>params</code> holds the limits of the rule when it fired, never an expression; also
      <code>on_delay_s</code> and <code>off_delay_s</code> where they are not 0.</p>
    `,
    table(["kind", "keys"], docs.map(({ kind, params }) => row([code(kind), params]))),
  ];
}

function timeSection(): Html {
  const grace_s = limits.watch_grace_us / 1_000_000;
  const stale_s = limits.stale_grace_us / 1_000_000;
  const back_days = limits.watch_back_us / 86_400_000_000;
  return html`
    <h2 id="times">Times, delays, late samples</h2>
    <p>Times are the samples' times, not the server's. With an on-delay the condition must hold
    from its first sample, <code>source_ts</code>, on; <code>raised_at</code> is that time plus the
    delay, <code>raised_value</code> that sample's value. <code>cleared_at</code> is the first
    sample that shows recovery plus the off-delay, <code>recovered_value</code> its value. A delay
    is over when a later sample proves it, or ${grace_s} s after it is due by the clock where no
    newer sample came. A stale alarm is raised at its last value's time plus
    <code>max_age_s</code>; its values are ages in seconds. After a start, sources have
    ${stale_s} s to deliver what they kept. A tag that never sent anything counts from when the rule
    began to watch it. A sample without a value neither shows
    nor ends a condition.</p>
    <p>A sample that is not newer than what was judged before is late. It never changes the present
    state. If it proves a past excursion that no occurrence covers, one is recorded, raised and
    cleared at once, with <code>detail.late</code> on both events. Samples over ${back_days} days
    old are not judged.</p>
  `;
}

function nuisanceSection(): Html {
  const window_s = limits.chattering_window_us / 1_000_000;
  const flood_min = limits.flood_window_us / 60_000_000;
  const before_s = limits.inhibit_before_us / 1_000_000;
  return html`
    <h2 id="nuisance">Chattering, floods, inhibition</h2>
    <p>An alarm that is raised for the ${ordinal(limits.chattering_raises)} time within
    ${window_s} s, by rule and tag, chatters: its raised event has
    <code>detail.chattering</code>. From the ${ordinal(limits.flood_alarms)} alarm of a site within
    ${flood_min} minutes on, raised events have <code>detail.flood</code>.</p>
    <p>While an alarm of class <code>comms</code> or <code>grid</code> is active on a device above,
    on a device of the plant as a whole (its system, meter, transformer or feeder) or under the
    site's root, alarms of rules below it are recorded but kept out of the queue: they are shelved
    as they are raised, with <code>detail.inhibited_by</code>, and return when it clears. So are
    those that were raised up to ${before_s} s before it.</p>
  `;
}

function readSection(): readonly Html[] {
  const beat_s = limits.stream_beat_ms / 1000;
  return [
    html`
      <h2 id="reading">List and feed</h2>
      <p>The list, <a href="/docs#alarms"><code>GET /platform/v1/alarms</code></a>, has occurrences
      by (<code>synced_at</code>, <code>svc_occurrence_ref</code>), each with its newest
      ${limits.alarm_events_shown} events. The feed,
      <a href="/docs#alarm_events"><code>GET /platform/v1/alarms/events</code></a>, has the events
      of all of them by (<code>synced_at</code>, <code>svc_occurrence_ref</code>,
      <code>event_id</code>). A page with fewer rows than <code>limit</code> is the last; a full
      one has a <code>Link</code> with <code>rel="next"</code>. To resume later, set
      <code>updated_since</code>, <code>after</code> and, for events, <code>after_event_id</code>
      to the last row's. Nothing is missed and no event comes twice, whoever writes meanwhile; an
      occurrence that changed comes again. <code>device_id</code> is null until the tag is mapped
      to a device: then an event <code>device_mapped</code> tells of it.</p>
      <h2 id="stream">Stream</h2>
      <p>The stream, <a href="/docs#alarm_stream"><code>GET /platform/v1/alarms/stream</code></a>,
      is the same feed as server-sent events, told as each is stored. <code>id</code> is a cursor:
      send the last one as <code>Last-Event-ID</code> (or <code>last_event_id</code>) and the
      stream goes on behind it; it stays good for ever. A comment every ${beat_s} seconds shows
      that the stream is alive.</p>
      <pre tabindex="0">${frame}</pre>
    `,
  ];
}

const frame = `id: MTc4MDMxNTIwMDAwMDAwMCAxIHdrLTAwMDAwMQ
event: raised
data: {"event_id":"wk-000001","occurrence_id":"…","type":"raised",…}`;

function sendSection(): readonly Html[] {
  const [occurrence, event] = (alarm_row_schema as Schema).anyOf!;
  const isSent = (form: Schema) => (name: string) =>
    !form.properties![name].description?.startsWith("The service's own");
  return [
    html`
      <h2 id="sending">Sending alarms</h2>
      <p>A source system sends its alarms to
      <a href="/docs#ingest_alarms"><code>POST /ingest/v1/alarms</code></a>, rows in any order,
      late or again. Of several snapshots of an occurrence the one with the latest
      <code>updated_at</code> holds. An occurrence as it was read here can be sent as it is: what is
      the service's own is not looked at.</p>
      <h3>An occurrence</h3>
    `,
    table(["field", "form", "", ""], fieldRows(occurrence, isSent(occurrence))),
    html`
      <h3>An event</h3>
    `,
    table(["field", "form", "", ""], fieldRows(event, isSent(event))),
  ];
}

function reportSection(): readonly Html[] {
  return [
    html`
      <h2 id="figures">Figures</h2>
      <p>In the terms of ANSI/ISA-18.2, as
      <a href="/docs#alarm_report"><code>GET /platform/v1/alarms/report</code></a> has them.</p>
    `,
    table(["figure", ""], figureRows(z.toJSONSchema(report_schema) as Schema)),
  ];
}

function wordRows(docs: Readonly<Record<string, string>>): readonly Html[] {
  return Object.entries(docs).map(([name, doc]) => row([code(name), doc]));
}

function ordinal(n: number): string {
  return n === 3 ? "third" : `${n}th`;
}
