// A delivery worked through: an event, a secret, a key, and the headers that follow from them.
import { utf8 } from "../../base/bytes.ts";
import { signatureHeader, standardHeaders } from "../../model/webhooks/signature.ts";
import { jwkOf, signingKey } from "../../model/webhooks/signature_key.ts";
import { envelopeOf, type WebhookEvent } from "../../model/webhooks/webhook.ts";

const event: WebhookEvent = {
  id: "0199f3a4-5b6c-7d8e-9f00-112233445566",
  type: "issue.deleted",
  occurred_at: "2026-06-01T11:59:59.250000Z",
  project: { id: "prj_1", organization_id: "org_1" },
  data: '{"id":"iss_1","name":"Inverter 7 is noisy"}',
};

/** A secret and a key that everybody knows (RFC 8037): for this example alone. */
const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const seed = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";

/** What is sent for an event, and what it is checked with. */
export function exampleDelivery() {
  const key = signingKey(seed);
  const t = Date.parse("2026-06-01T12:00:00Z") / 1000;
  const body = envelopeOf(event);
  const signing = { t, body: utf8(body), secrets: [secret], keys: [key] };
  const headers = {
    "content-type": "application/json",
    "x-svc-signature": signatureHeader(signing),
    "x-svc-event-id": event.id,
    "x-svc-event-type": event.type,
    ...standardHeaders(event.id, signing),
  };
  return { t, body, secret, jwk: jwkOf(key), headers };
}
