// Setpoints under /platform/v1/setpoints: what can be sent where, sending it, and the log of that.
import * as z from "zod";
import type { PlacedSetpoint } from "../../engine/setpoints/setpoints.ts";
import type { Param } from "../../model/data/param.ts";
import { setpoint_limits } from "../../model/setpoints/limits.ts";
import {
  type Command,
  command_form,
  outcome_docs,
  outcomes,
} from "../../model/setpoints/setpoint.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { projectOf } from "../frame/auth.ts";
import { formBody, readData } from "../frame/json_body.ts";
import { pageParams, project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const path = "/platform/v1/setpoints";

/** Listing setpoints, sending to them, and the log. */
export function setpointRoutes(services: Services): readonly Route[] {
  return [listRoute(services), sendRoute(services), logRoute(services)];
}

const own_project = { ...project_param, doc: "Project of the setpoints." } as const;

function listRoute(services: Services): Route {
  const { setpoints, catalog } = services;
  return route({
    name: "setpoints",
    method: "GET",
    path,
    summary: "Setpoints",
    doc: "The setpoints that the sources of a project declare, by tag, each with its limits and " +
      "whether a value can be sent to it now.",
    scope: "read",
    project: "project_id",
    params: [own_project],
    answer: { kind: "json", schema: () => z.toJSONSchema(z.array(setpoint_schema)) },
    handle: ({ values }) => {
      const shown = ({ tag, device, limits, source, is_read }: PlacedSetpoint) => ({
        ...{ site: catalog.site(source.site_no)!.key, source: source.key, device, tag },
        can_be_sent: setpoints.is_on && is_read,
        limits,
      });
      return Response.json(setpoints.of(projectOf(services, values.project_id)).map(shown));
    },
  });
}

function sendRoute(services: Services): Route {
  return route({
    name: "setpoint_send",
    method: "POST",
    path,
    summary: "Send a value to a setpoint",
    doc: "Sends a value to a device, once, and answers when it is known how that ended: see " +
      "`outcome`. A `key` that was used before answers with the command of that time and sends " +
      "nothing. Nothing is ever sent again by itself. 400 for what the limits forbid; 409 while " +
      "the device has a command under way, or for a key of another command; 429 before the " +
      "setpoint's every_s is over; 501 where the setting setpoints is off.",
    scope: "operate",
    project: "project_id",
    params: [own_project],
    faults: ["conflict", "too_many", "not_available"],
    body: formBody(command_form, {
      doc: "The tag, the value with its unit, and a key of your own.",
      limit_bytes: setpoint_limits.body_bytes,
    }),
    answer: { kind: "json", schema: () => z.toJSONSchema(command_schema) },
    handle: async ({ request, values, grant }) => {
      const project = projectOf(services, values.project_id);
      const data = await readData(request);
      return Response.json(shownCommand(
        services,
        await services.setpoints.send(project, data, grant!),
      ));
    },
  });
}

const log_params = [
  own_project,
  {
    name: "tag",
    in: "query",
    kind: "text",
    required: false,
    doc: "Name of the setpoint's tag; all by default.",
  },
  ...pageParams("Commands"),
] as const satisfies readonly Param[];

function logRoute(services: Services): Route {
  return route({
    name: "setpoint_log",
    method: "GET",
    path: `${path}/log`,
    summary: "Log of setpoints",
    doc: "Who sent which value to which setpoint when, what the device had before and after, and " +
      "how it ended; newest first. Commands are kept for setpoint_keep_days.",
    scope: "read",
    project: "project_id",
    params: log_params,
    answer: { kind: "json", schema: () => z.toJSONSchema(z.array(command_schema)) },
    handle: async ({ values: { project_id, ...wish } }) => {
      const commands = await services.setpoints.log(projectOf(services, project_id), wish);
      return Response.json(commands.map((it) => shownCommand(services, it)));
    },
  });
}

const setpoint_schema = z.strictObject({
  site: z.string().describe("Key of the site."),
  source: z.string().describe("Key of the source that writes."),
  device: z.string().describe("The device; its commands go one after the other."),
  tag: z.string(),
  can_be_sent: z.boolean()
    .describe("Whether the setting setpoints is on, and this service reads the source."),
  limits: z.record(z.string(), z.unknown()).describe("As the source declares them."),
}).meta({ title: "Setpoint" });

const command_schema = z.strictObject({
  id: z.string(),
  key: z.string().describe("The key that it was sent with."),
  site: z.string().nullable().describe("Key of the site; null for one that is gone."),
  source: z.string(),
  device: z.string(),
  tag: z.string(),
  value: z.number().describe("What was to be sent."),
  unit: z.string(),
  note: z.string().nullable(),
  before: z.number().nullable().describe("What the device had before; null: not known."),
  after: z.number().nullable().describe("What it has after; null: not known."),
  outcome: z.enum(outcomes).describe(
    Object.entries(outcome_docs).map(([word, doc]) => `${word}: ${doc}`).join(" "),
  ),
  reason: z.string().nullable().describe("Why it did not end as it should."),
  author: z.string().describe("Name of the token, or of the user who was signed in."),
  user_id: z.string().nullable(),
  asked_at: z.string(),
  ended_at: z.string().nullable(),
}).meta({ title: "SetpointCommand" });

function shownCommand(
  { catalog }: Services,
  { project_no: _, site_no, asked_at, ended_at, ...command }: Command,
): z.input<typeof command_schema> {
  return {
    ...command,
    site: catalog.site(site_no)?.key ?? null,
    asked_at: instantText(asked_at),
    ended_at: ended_at === null ? null : instantText(ended_at),
  };
}
