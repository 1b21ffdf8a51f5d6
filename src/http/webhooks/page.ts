// The page that explains webhooks: events, bodies, signatures, attempts, targets, receivers.
import { html } from "@hono/hono/html";
import { limits } from "../../base/limits.ts";
import { addressRefusal } from "../../model/webhooks/address.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import { attempt_jitter, attempt_waits_us } from "../../model/webhooks/retry.ts";
import { settings_table } from "../../model/setting.ts";
import { webhook_docs, webhook_types } from "../../model/webhooks/webhook.ts";
import {
  envelope_columns,
  webhook_data,
  webhook_header_docs,
  webhookDataName,
} from "../../model/webhooks/shape.ts";
import { back, code, type Html, listed, page, row, table } from "../page/html.ts";
import { fieldRows, type Schema } from "../page/schema_table.ts";
import { exampleDelivery } from "./example.ts";
import { delivery_docs, ending_docs, helper_docs, refused_addresses } from "./word.ts";

/** Everything that a receiver is to know. */
export function webhookPage(): Html {
  return page("Wattkeeper webhooks", [
    back("Webhooks"),
    html`
      <p>What happens to alarms, issues and work orders is posted to whoever
      <a href="/docs#subscription_post">subscribes</a>. An event is stored with the change that it
      tells of, in one transaction, and sent until it is acknowledged: no event is lost, one may
      come more than once. For programs, <code>webhooks</code> of
      <a href="/openapi.json">OpenAPI</a> has every body's schema.</p>
      <nav aria-label="Contents">
        <ul>${contents.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
      </nav>
    `,
    ...eventSection(),
    ...bodySection(),
    ...signatureSection(),
    exampleSection(),
    secretSection(),
    ...attemptSection(),
    breakerSection(),
    ...targetSection(),
    ...receiverSection(),
  ]);
}

const contents = [
  ["events", "Events"],
  ["body", "Body and headers"],
  ["signatures", "Signatures"],
  ["example", "A delivery worked through"],
  ["secrets", "Secrets and keys"],
  ["attempts", "Attempts"],
  ["breaker", "Receivers that fail"],
  ["targets", "Targets that are refused"],
  ["receivers", "Writing a receiver"],
] as const;

function eventSection(): readonly Html[] {
  const rows = webhook_types.map((type) => {
    const name = webhookDataName(type);
    return row([code(type), webhook_docs[type], html`<a href="#data-${name}">${name}</a>`]);
  });
  const data = Object.entries(webhook_data).map(([name, { doc, columns }]) => {
    const route = answered.get(name);
    const fields = route === undefined
      ? html`${listed(columns.map(({ name }) => name))}`
      : html`<a href="/docs#${route}">as in answers</a>`;
    return html`
      <tr id="data-${name}">
        <td>${name}</td>
        <td>${doc}</td>
        <td>${fields}</td>
      </tr>
    `;
  });
  return [
    html`
      <h2 id="events">Events</h2>
      <p>A subscription names types, all of a family (<code>alarm.*</code>,
      <code>issue.*</code>, <code>workorder.*</code>), or everything (<code>*</code>), and may be
      limited to projects. A change makes one event of each thing that it changes: of an alarm
      raised, resolved, cleared, updated the first that fits. Alarms of a flood that are raised at
      once are told by one event, whose data has <code>flood</code>. What an inbound
      <a href="/docs#issue_sync">sync</a> changed is not told to the subscription whose secret
      signed it, unless it has <code>hears_itself</code>.</p>
    `,
    table(["type", "sent when", "data"], rows),
    html`
      <h3 id="data">Data</h3>
      <p>It is what was when the change happened, whatever became of it later.</p>
    `,
    table(["data", "", "fields"], data),
  ];
}

/** The routes that answer the same. */
const answered: ReadonlyMap<string, string> = new Map([
  ["AlarmOccurrence", "alarm"],
  ["Issue", "issue"],
  ["WorkOrder", "work_order"],
]);

function bodySection(): readonly Html[] {
  const headers = Object.entries(webhook_header_docs).map(([name, doc]) => row([code(name), doc]));
  return [
    html`
      <h2 id="body">Body and headers</h2>
      <p>The body is a JSON object, the envelope: these fields, and <code>data</code>. Its bytes are
      made once; every attempt sends the same. It has at most
      ${limits.webhook_body_bytes / 1024} KiB: what is larger is logged and not sent. New fields may
      come at any time; <code>schema_version</code> changes when receivers would break.</p>
    `,
    table(["field", "form", "", ""], fieldRows(rowSchema(envelope_columns) as Schema, () => true)),
    html`
      <p>A subscription may add up to ${limits.webhook_headers} headers, such as a receiver's own
      token; they never replace these.</p>
    `,
    table(["header", ""], headers),
  ];
}

function signatureSection(): readonly Html[] {
  return [
    html`
      <h2 id="signatures">Signatures</h2>
      <p><code>v1</code> is the HMAC-SHA256 of <code>t</code>, a point and the body's bytes, keyed
      with the UTF-8 bytes of the subscription's whole secret, <code>whsec_</code> included.
      <code>v1a</code> is the Ed25519 signature of the same bytes with the service's key; its public
      half is at <a href="/webhooks/jwks.json"><code>/webhooks/jwks.json</code></a>. Both are
      hexadecimal. A receiver checks one kind or both:</p>
      <ol>
        <li>Take the body as it came, before it is parsed.</li>
        <li>Split <code>x-svc-signature</code> at the commas; pass over entries that you don't
        know.</li>
        <li>Refuse it if <code>t</code> is more than ${limits.signature_clock_s} seconds from your
        clock, before or after: every attempt is signed anew.</li>
        <li>Take it if any value of the kind that you check verifies; compare in constant time.</li>
        <li>Pass over an event whose id you have taken before.</li>
      </ol>
      <p>For receivers that know Standard Webhooks (standardwebhooks.com) the headers
      <code>webhook-id</code>, <code>webhook-timestamp</code> and
      <code>webhook-signature</code> say the same. There the HMAC is keyed with what the base64
      behind <code>whsec_</code> stands for, over the id, a point, the timestamp, a point and the
      body; signatures are base64.</p>
    `,
  ];
}

function exampleSection(): Html {
  const { t, body, secret, jwk, headers } = exampleDelivery();
  const known = [secret, JSON.stringify(jwk)].join("\n");
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const posted = [...head, "", body].join("\n");
  const shell = `T=${t}\nBODY='${body}'\n` +
    `printf '%s' "$T.$BODY" | openssl dgst -sha256 -hmac '${secret}'`;
  return html`
    <h2 id="example">A delivery worked through</h2>
    <p class="quiet">The secret, and the public key</p>
    <pre tabindex="0">${known}</pre>
    <p class="quiet">What is posted</p>
    <pre tabindex="0">${posted}</pre>
    <p class="quiet">What was signed, and <code>v1</code> anew</p>
    <pre tabindex="0">${shell}</pre>
  `;
}

function secretSection(): Html {
  const hours = settings_table.webhook_rotation_hours.default;
  const days = settings_table.signing_key_days.default;
  const phase_hours = limits.signing_phase_us / hour_us;
  return html`
    <h2 id="secrets">Secrets and keys</h2>
    <p>A secret is shown once, when the subscription is made or the secret is
    <a href="/docs#subscription_rotate_secret">replaced</a>, and never again. After that the one
    before signs on for ${hours} hours (<code>webhook_rotation_hours</code>): the header has two
    <code>v1</code>, and a receiver that knows either takes it.</p>
    <p>A key of the service signs for ${days} days (<code>signing_key_days</code>). The next one is
    published ${phase_hours} hours before it signs; then both sign for ${phase_hours} hours, and the
    one before stays published for ${phase_hours} more. A receiver that asks for the keys again when
    none verifies never misses one. <a href="/docs#signing_key_rotate">Rotate</a> them at any
    time.</p>
  `;
}

const hour_us = 3_600_000_000;

function attemptSection(): readonly Html[] {
  const rows = attempt_waits_us.map((wait_us, i) => {
    const [least, most] = [-attempt_jitter, attempt_jitter].map((by) =>
      waitText(wait_us * (1 + by))
    );
    const between = wait_us === 0 ? "" : `${least} to ${most}`;
    return row([i + 1, wait_us === 0 ? "at once" : waitText(wait_us), between]);
  });
  return [
    html`
      <h2 id="attempts">Attempts</h2>
      <p>An attempt has the subscription's <code>timeout_s</code>, 1 to ${limits.webhook_timeout_s}
      seconds and ${limits.webhook_timeout_default_s} by default, for everything from the name's
      resolution to the answer. After ${attempt_waits_us.length} attempts a delivery is dead. Events
      may overtake each other, unless the subscription <code>is_ordered</code>: then each waits
      until the one before it is settled.</p>
    `,
    table(["attempt", "after the one before", "by chance between"], rows),
    html`
      <h3 id="answers">Answers</h3>
    `,
    table(["answer", "what follows"], wordRows(ending_docs)),
    html`
      <h3 id="deliveries">Deliveries</h3>
      <p>Every attempt is kept with its time, its duration, the status, the address that was called
      and the answer's first KiB; settled ones for
      ${settings_table.webhook_keep_days.default} days (<code>webhook_keep_days</code>).</p>
    `,
    table(["state", ""], wordRows(delivery_docs)),
  ];
}

function breakerSection(): Html {
  const minute_us = 60_000_000;
  return html`
    <h2 id="breaker">Receivers that fail</h2>
    <p>After ${limits.breaker_failures} failures in a row, or when ${100 * limits.breaker_share} %
    of at least ${limits.breaker_attempts} attempts in
    ${limits.breaker_window_us / minute_us} minutes fail, a subscription rests for
    ${waitText(limits.breaker_wait_us)}; what is due waits, and loses no attempt. Then one attempt
    decides: the rest doubles, up to ${waitText(limits.breaker_longest_wait_us)}, or ends. After
    ${limits.webhook_hopeless_us / 24 / hour_us} days of nothing but failures the subscription is
    disabled, with the reason; resuming it sends what was held.</p>
    <p>One slow receiver delays no other: at most ${limits.webhooks_per_subscription} attempts of a
    subscription run at once, ${limits.webhooks_per_origin} to an origin,
    ${limits.webhooks_in_flight} in all, in turns.</p>
  `;
}

function targetSection(): readonly Html[] {
  const rows = refused_addresses.map((address) =>
    row([code(address), addressRefusal(address, [])!.replace(`${address} is `, "")])
  );
  return [
    html`
      <h2 id="targets">Targets that are refused</h2>
      <p>A target is an <code>http</code> or <code>https</code> URL without credentials or fragment.
      Only global unicast addresses are called, unless the setting <code>webhook_allow</code> lists
      others; of a name every address is looked at, at every attempt, and the one that was looked at
      is the one that is called. The service never calls itself. For example:</p>
    `,
    table(["address", "why not"], rows),
  ];
}

function receiverSection(): readonly Html[] {
  return [
    html`
      <h2 id="receivers">Writing a receiver</h2>
      <p>Answer at once and work afterwards. Short checks of signatures stand in the folder
      <code>data/receivers</code> of the sources, each with its standard library alone:</p>
    `,
    table(["file", ""], wordRows(helper_docs)),
    html`
      <p>To try one, or to see what the service sends:</p>
      <pre tabindex="0">${commands.join("\n")}</pre>
    `,
  ];
}

const commands = [
  "wattkeeper webhook listen --secret-file secret.txt --fail 503 --times 2",
  "wattkeeper webhook send http://127.0.0.1:9000 --secret-file secret.txt",
  "wattkeeper webhook verify delivery.http --secret-file secret.txt --explain",
];

function wordRows(words: Readonly<Record<string, string>>): readonly Html[] {
  return Object.entries(words).map(([word, doc]) => row([code(word), doc]));
}

/** A wait in its largest unit: `5 min`, `2.4 h`. */
function waitText(wait_us: number): string {
  const units = [["h", hour_us], ["min", 60_000_000], ["s", 1_000_000]] as const;
  const [unit, us] = units.find(([, us]) => wait_us >= us) ?? units[2];
  return `${Math.round(10 * wait_us / us) / 10} ${unit}`;
}
