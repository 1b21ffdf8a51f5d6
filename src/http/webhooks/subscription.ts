// Webhook subscriptions under /admin/v1/subscriptions: made, changed, paused, tested, removed.
import * as z from "zod";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import {
  new_secret_schema,
  removed_schema,
  showBreaker,
  shown_subscription_schema,
  showRemoved,
  showSecret,
  showSubscription,
  test_schema,
} from "../../engine/webhooks/subscription_view.ts";
import { sendTestEvent } from "../../engine/webhooks/test_event.ts";
import {
  type Subscription,
  subscription_change_schema,
  subscription_schema,
} from "../../model/webhooks/subscription.ts";
import type { Grant } from "../../model/access/token.ts";
import { formBody, readData } from "../frame/json_body.ts";
import { include_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const path = "/admin/v1/subscriptions";
const one = `${path}/{id}`;

/** Making, listing, changing and removing subscriptions that the token reaches whole. */
export function subscriptionRoutes(services: Services): readonly Route[] {
  return [
    listRoute(services),
    postRoute(services),
    getRoute(services),
    putRoute(services),
    deleteRoute(services),
    rotateRoute(services),
    ...stateRoutes(services),
    testRoute(services),
  ];
}

const include_breaker = {
  ...include_param,
  values: ["breaker"],
  doc: "breaker: also whether the receiver is left alone for a while, since when, and until when.",
} as const;

function listRoute(services: Services): Route {
  return route({
    ...common,
    name: "subscriptions",
    method: "GET",
    path,
    summary: "Webhook subscriptions",
    doc: "Every subscription that the token can access, the oldest first.",
    params: [include_breaker],
    answer: { kind: "json", schema: () => z.toJSONSchema(list_schema) },
    handle: ({ grant, values: { include } }) => {
      const known = services.subscriptions.list({ grant: grant! });
      return Response.json({
        subscriptions: known.map((it) => withBreaker(services, it, include)),
      });
    },
  });
}

function postRoute({ subscriptions }: Services): Route {
  return route({
    ...common,
    name: "subscription_post",
    method: "POST",
    path,
    summary: "Subscribe to webhooks",
    doc: "From now on, events of these types are sent to the target. The secret is shown only in " +
      "this answer.",
    params: [],
    body: bodyOf(subscription_schema, "The target, the types of events, and how they are sent."),
    answer: { kind: "json", status: 201, schema: () => z.toJSONSchema(new_secret_schema) },
    handle: async ({ request, grant }) => {
      const made = await subscriptions.create(await readData(request), { grant: grant! });
      return secret(showSecret(made, subscriptions), 201);
    },
  });
}

function getRoute(services: Services): Route {
  return route({
    ...common,
    name: "subscription_get",
    method: "GET",
    path: one,
    summary: "A webhook subscription",
    doc: "One subscription. Its secret is not shown again: rotate it to get a new one.",
    params: [id_param, include_breaker],
    answer: { kind: "json", schema: shown_json },
    handle: ({ values: { id, include }, grant }) => {
      const found = services.subscriptions.find(id, { grant: grant! });
      return Response.json(withBreaker(services, found, include));
    },
  });
}

function putRoute({ subscriptions }: Services): Route {
  return route({
    ...common,
    name: "subscription_put",
    method: "PUT",
    path: one,
    summary: "Change a webhook subscription",
    doc: "Replaces the fields of the subscription with the body. If headers is left out, the " +
      "headers stay as they are. Events that are still being sent go to the new target.",
    params: [id_param],
    body: bodyOf(subscription_change_schema, "The complete new state; headers may be left out."),
    answer: { kind: "json", schema: shown_json },
    handle: async ({ request, values, grant }) => {
      const data = await readData(request);
      const changed = await subscriptions.change(values.id, data, { grant: grant! });
      return Response.json(shown(subscriptions, changed));
    },
  });
}

function deleteRoute({ subscriptions }: Services): Route {
  return route({
    ...common,
    name: "subscription_delete",
    method: "DELETE",
    path: one,
    summary: "Remove a webhook subscription",
    doc: "Nothing more is sent to it. Its unfinished deliveries become dead.",
    params: [id_param],
    answer: { kind: "json", schema: () => z.toJSONSchema(removed_schema) },
    handle: async ({ values, grant }) =>
      Response.json(showRemoved(await subscriptions.remove(values.id, { grant: grant! }))),
  });
}

function rotateRoute({ subscriptions }: Services): Route {
  return route({
    ...common,
    name: "subscription_rotate_secret",
    method: "POST",
    path: `${one}/rotate-secret`,
    summary: "Give a subscription a new secret",
    doc: "The new secret is shown only in this answer. The old secret also signs until the " +
      "overlap (setting webhook_rotation_hours) is over. An even older secret ends at once.",
    params: [id_param],
    answer: { kind: "json", schema: () => z.toJSONSchema(new_secret_schema) },
    handle: async ({ values, grant }) => {
      const rotated = await subscriptions.rotate(values.id, { grant: grant! });
      return secret(showSecret(rotated, subscriptions), 200);
    },
  });
}

function stateRoutes({ subscriptions }: Services): readonly Route[] {
  const handleBy =
    (change: "pause" | "resume") =>
    async ({ values, grant }: { values: { readonly id: string }; grant: Grant | null }) =>
      Response.json(
        shown(subscriptions, await subscriptions[change](values.id, { grant: grant! })),
      );
  return [
    route({
      ...common,
      name: "subscription_pause",
      method: "POST",
      path: `${one}/pause`,
      summary: "Pause a webhook subscription",
      doc: "Its deliveries are held until it is resumed. A repeat changes nothing. 409 if the " +
        "service has disabled it.",
      params: [id_param],
      answer: { kind: "json", schema: shown_json },
      handle: handleBy("pause"),
    }),
    route({
      ...common,
      name: "subscription_resume",
      method: "POST",
      path: `${one}/resume`,
      summary: "Resume a webhook subscription",
      doc: "A paused or disabled subscription continues with its held deliveries. A repeat " +
        "changes nothing.",
      params: [id_param],
      answer: { kind: "json", schema: shown_json },
      handle: handleBy("resume"),
    }),
  ];
}

function testRoute(services: Services): Route {
  return route({
    ...common,
    name: "subscription_test",
    method: "POST",
    path: `${one}/test`,
    summary: "Test a webhook subscription",
    doc: "Sends a webhook.test event to it, signed and repeated like any other event. 409 if it " +
      "is not enabled.",
    params: [id_param],
    answer: { kind: "json", status: 202, schema: () => z.toJSONSchema(test_schema) },
    handle: async ({ values, grant }) => {
      const subscription = services.subscriptions.find(values.id, { grant: grant! });
      const event_id = await sendTestEvent(services, subscription);
      return Response.json({ event_id }, { status: 202 });
    },
  });
}

const common = { scope: "manage", project: null } as const;

const id_param = {
  name: "id",
  in: "path",
  kind: "text",
  required: true,
  doc: "The subscription's id.",
} as const;

const shown_json = () => z.toJSONSchema(shown_subscription_schema);

const list_schema = z.strictObject({ subscriptions: z.array(shown_subscription_schema) });

function bodyOf(form: z.ZodType, doc: string) {
  return formBody(form, { doc, limit_bytes: webhook_limits.subscription_body_bytes });
}

/** A subscription, with its breaker where that is asked for. */
function withBreaker(
  { subscriptions, deliveries }: Services,
  subscription: Subscription,
  include: readonly string[],
) {
  const { subscription_no } = subscription;
  return {
    ...shown(subscriptions, subscription),
    ...(include.includes("breaker")
      ? { breaker: showBreaker(deliveries.breakerOf(subscription_no)) }
      : {}),
  };
}

function shown(subscriptions: Services["subscriptions"], subscription: Subscription) {
  return showSubscription(subscription, subscriptions);
}

/** No cache may keep it. */
function secret(answer: z.infer<typeof new_secret_schema>, status: number): Response {
  return Response.json(answer, { status, headers: { "cache-control": "no-store" } });
}
