// Every limit of the service by room, for the documentation.
import { limits as shared } from "../../base/limits.ts";
import { service_limits as service } from "../../engine/service/limits.ts";
import { access_limits as access } from "../../model/access/limits.ts";
import { alarm_limits as alarm } from "../../model/alarms/limits.ts";
import { availability_limits as availability } from "../../model/availability/limits.ts";
import { answer_limits as answer } from "../../model/data/limits.ts";
import { expected_limits as expected } from "../../model/expected/limits.ts";
import { setting_limits as setting } from "../../model/limits.ts";
import { rollup_limits as rollup } from "../../model/rollup/limits.ts";
import { rule_limits as rule } from "../../model/rules/limits.ts";
import { sample_limits as sample } from "../../model/samples/limits.ts";
import { site_limits as site } from "../../model/site/limits.ts";
import { webhook_limits as webhook } from "../../model/webhooks/limits.ts";
import { work_limits as work } from "../../model/work/limits.ts";
import { database_limits as database } from "../../store/limits.ts";
import { body_limits as body } from "../../wire/bytes/limits.ts";
import { request_limits as request } from "../frame/limits.ts";

/** The limits of each room by name; a unit is the end of its name. */
export const all_limits = {
  ...{ request, body, answer, sample, site, rule, alarm, work, webhook, access },
  ...{ availability, expected, rollup, database, setting, service, shared },
} as const satisfies Readonly<Record<string, Readonly<Record<string, number>>>>;
