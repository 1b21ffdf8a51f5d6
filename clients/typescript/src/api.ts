// The shapes of requests and answers, written by `deno task client:types`.
// deno-lint-ignore-file
export interface components {
  schemas: {
    /** Account */
    Account: {
      id: string;
      organization_id: string;
      email: string;
      first_name: string;
      last_name: string;
      /** @description ISO 8601, UTC. */
      created_at: string;
      /** @description ISO 8601, UTC; null if the user can act. */
      disabled_at: string | null;
      /** @description Rights of the user when signed in. */
      scopes: components["schemas"]["Scope"][];
      /** @description Null: every project of it. */
      project_ids: string[] | null;
    };
    /**
     * @description How an amount is sent: as a rising counter, as an amount per interval, or as a rate (none).
     * @default none
     * @enum {string}
     */
    Accumulation: "counter" | "interval" | "none";
    /** @enum {string} */
    Action: "create" | "update" | "remove";
    AlarmActionsAnswer: {
      results: components["schemas"]["AlarmActionsAnswerResult"][];
    };
    AlarmActionsAnswerResult: {
      occurrence_id: string;
      /** @description Whether the occurrence now has the state that the action asks for. */
      ok: boolean;
      /** @description Its status now; null where the project has no such occurrence. */
      status: components["schemas"]["AlarmsStatus"] | null;
      /** @description Why not. */
      reason: string | null;
    };
    AlarmActionsBodyClaim: {
      /** @constant */
      action: "claim";
      /** @description Occurrences of the project, each only once. */
      occurrence_ids: string[];
      /** @description User who acts, by id or e-mail; not needed with a user's own token. */
      user?: string;
    };
    AlarmActionsBodyComment: {
      /** @constant */
      action: "comment";
      /** @description Occurrences of the project, each only once. */
      occurrence_ids: string[];
      /** @description The comment. */
      body: string;
      /** @description User who acts, by id or e-mail; not needed with a user's own token. */
      user?: string;
    };
    AlarmActionsBodyRelease: {
      /** @constant */
      action: "release";
      /** @description Occurrences of the project, each only once. */
      occurrence_ids: string[];
      /** @description User who acts, by id or e-mail; not needed with a user's own token. */
      user?: string;
    };
    AlarmActionsBodyReopen: {
      /** @constant */
      action: "reopen";
      /** @description Occurrences of the project, each only once. */
      occurrence_ids: string[];
      /** @description User who acts, by id or e-mail; not needed with a user's own token. */
      user?: string;
    };
    AlarmActionsBodyResolve: {
      /** @constant */
      action: "resolve";
      /** @description Occurrences of the project, each only once. */
      occurrence_ids: string[];
      /** @description What was found and what was done. */
      note: string;
      /** @description User who acts, by id or e-mail; not needed with a user's own token. */
      user?: string;
    };
    AlarmActionsBodyShelve: {
      /** @constant */
      action: "shelve";
      /** @description Occurrences of the project, each only once. */
      occurrence_ids: string[];
      /** @description When it returns to the queue: ISO 8601 with an offset. */
      until: string;
      /** @description Why it can wait. */
      reason: string;
      /** @description User who acts, by id or e-mail; not needed with a user's own token. */
      user?: string;
    };
    AlarmActionsBodyUnshelve: {
      /** @constant */
      action: "unshelve";
      /** @description Occurrences of the project, each only once. */
      occurrence_ids: string[];
      /** @description User who acts, by id or e-mail; not needed with a user's own token. */
      user?: string;
    };
    AlarmClaimBody: {
      /** @description User who acts, by id or e-mail; not needed with a user's own token. */
      user?: string;
    };
    /**
     * @example {
     *       "body": "The fan is loud."
     *     }
     */
    AlarmCommentBody: {
      /** @description The comment. */
      body: string;
      /** @description User who acts, by id or e-mail; not needed with a user's own token. */
      user?: string;
    };
    AlarmCountsAnswer: {
      total: number;
      unattended: number;
      attended: number;
      returned: number;
      shelved: number;
      resolved: number;
      by_severity: components["schemas"]["AlarmCountsAnswerBySeverity"][];
    };
    AlarmCountsAnswerBySeverity: {
      severity: string;
      total: number;
      unattended: number;
      attended: number;
      returned: number;
      shelved: number;
      resolved: number;
    };
    /** AlarmEvent */
    AlarmEvent: {
      /** @description Event ID. With occurrence_id it is the deduplication key. */
      event_id: string;
      /** @description Occurrence that the event belongs to. */
      occurrence_id: string;
      /** @description The service's reference of the occurrence. */
      svc_occurrence_ref: string;
      /** @description One of raised, claimed, released, shelved, unshelved, resolved, reopened, cleared, reraised, commented, device_mapped, source_updated, not_applied; or a source system's own value. */
      type: string;
      /** @description One of lifecycle, operator, system, source; or a source system's own value. */
      kind: string;
      /**
       * Format: date-time
       * @description When the event happened.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When the service stored the event. The feed is sorted by it.
       */
      synced_at: string;
      /** @description Text of the event: a note, a reason. */
      body: string | null;
      /** @description User who caused the event. Null if nobody did, or a token without a user. */
      user_id: string | null;
      /** @description E-mail address of that user, or of the source system's; personal data. */
      user_email: string | null;
      /** @description User ID in the source system. */
      external_user_id: string | null;
      /** @description More about the event, in free form: what changed, why, until when. */
      detail: unknown;
    };
    /** AlarmOccurrence */
    AlarmOccurrence: {
      /** @description Stable ID that the source system gave. With event_id it is the key of events. */
      occurrence_id: string;
      /** @description The service's reference of the occurrence: send it as after to resume a replay. */
      svc_occurrence_ref: string;
      /** @description Source system and site that sent the alarm; wattkeeper:SITE if a rule of the service raised it. */
      source: string;
      /** @description Organization that owns the project. */
      organization_id: string;
      /** @description Project of the alarm. */
      project_id: string;
      /** @description Key of the site that the alarm came from. */
      site: string;
      /** @description Name of the rule that raised the alarm. */
      rule_name: string;
      /**
       * Format: double
       * @description Version of the rule that raised the alarm.
       */
      rule_version: number | null;
      /** @description Type of the rule that raised the alarm, such as threshold or stale. An open set. */
      kind: string;
      /** @description Severity of the rule: critical, high, medium, low, info. An open set. */
      severity: string;
      /** @description Place in the operators' queue. It does not depend on the condition; see cleared_at. */
      status: components["schemas"]["AlarmsStatus"];
      /** @description When the occurrence ends: auto, when it is cleared; manual, when it is resolved; require_both, when it is both. */
      resolution_policy: components["schemas"]["ResolutionPolicy"];
      /** @description The operator's note. Null until the occurrence is resolved. */
      resolution: string | null;
      /**
       * Format: date-time
       * @description When the alarm was raised.
       */
      raised_at: string;
      /**
       * Format: date-time
       * @description Time of the sample that raised the alarm.
       */
      source_ts: string | null;
      /**
       * Format: date-time
       * @description When the occurrence last changed in its source. Of several snapshots the latest one counts.
       */
      updated_at: string;
      /**
       * Format: date-time
       * @description When the service last stored the occurrence. updated_since compares against it.
       */
      synced_at: string;
      /**
       * Format: date-time
       * @description When the condition was gone. Null while it is present.
       */
      cleared_at: string | null;
      /**
       * Format: double
       * @description Value that raised the alarm; for a stale alarm the age in seconds.
       */
      raised_value: number;
      /**
       * Format: double
       * @description Most recent value of the tag.
       */
      last_value: number | null;
      /**
       * Format: double
       * @description Value furthest beyond the rule's limit while the condition was present.
       */
      peak_value: number | null;
      /**
       * Format: date-time
       * @description Time of peak_value.
       */
      peak_at: string | null;
      /**
       * Format: double
       * @description Value when the condition was gone. Null until then.
       */
      recovered_value: number | null;
      /** @description Tag of the alarm. While device_id is null, group alarms by tag and site. */
      source_tag: string;
      /** @description Measure that the tag reports. */
      measure: string | null;
      /** @description Description of the rule. */
      rule_description: string | null;
      /** @description Labels of the alarm: of each set bit of a bitmask rule, of the code of an enum rule, or of an alarm point (from its device model's list, otherwise its identifier). */
      decoded_labels: string[];
      /** @description Identifier of an alarm point, such as Error-17. It stays when the label changes. Null for other alarms. */
      point_key: string | null;
      /** @description Class of the alarm, such as fire, comms or trip. An open set. Null if it has none. */
      alarm_class: string | null;
      /** @description Whether the alarm is relevant to NERC compliance, by its alarm point or its rule. */
      is_nerc: boolean;
      /** @description Device that the tag is mapped to. Null until the tag is mapped. */
      device_id: string | null;
      /** @description Name of the device. Null until mapped. */
      device_name: string | null;
      /** @description Type of the device. Null until mapped. */
      device_type: string | null;
      /** @description The device's parent. Null until mapped, or if it has none. */
      parent_device_id: string | null;
      /** @description The rule's limits when it raised the alarm; the keys depend on kind (see /docs/alarms). Left out if there are none. */
      params?: unknown;
      /** @description Events of the alarm's life, oldest first; in lists only the newest 50. */
      events: components["schemas"]["AlarmEvent"][];
      /**
       * Format: int32
       * @description Number of events of the whole timeline.
       */
      events_total: number;
      /** @description Whether events has only the newest ones. */
      events_truncated: boolean;
      /** @description Where its rule was judged when it was raised: here, by the project's gateway, or at the centre. With include=judged. */
      judged_at?: components["schemas"]["JudgedAt"];
      /** @description Name of the gateway that judges it. Null if this service does. With include=judged. */
      gateway?: string | null;
    };
    /**
     * AlarmOfWebhook
     * @description The alarm, with its newest 50 events.
     */
    AlarmOfWebhook: {
      /** @description Stable ID that the source system gave. With event_id it is the key of events. */
      occurrence_id: string;
      /** @description The service's reference of the occurrence: send it as after to resume a replay. */
      svc_occurrence_ref: string;
      /** @description Source system and site that sent the alarm; wattkeeper:SITE if a rule of the service raised it. */
      source: string;
      /** @description Organization that owns the project. */
      organization_id: string;
      /** @description Project of the alarm. */
      project_id: string;
      /** @description Key of the site that the alarm came from. */
      site: string;
      /** @description Name of the rule that raised the alarm. */
      rule_name: string;
      /**
       * Format: double
       * @description Version of the rule that raised the alarm.
       */
      rule_version: number | null;
      /** @description Type of the rule that raised the alarm, such as threshold or stale. An open set. */
      kind: string;
      /** @description Severity of the rule: critical, high, medium, low, info. An open set. */
      severity: string;
      /** @description Place in the operators' queue. It does not depend on the condition; see cleared_at. */
      status: components["schemas"]["AlarmsStatus"];
      /** @description When the occurrence ends: auto, when it is cleared; manual, when it is resolved; require_both, when it is both. */
      resolution_policy: components["schemas"]["ResolutionPolicy"];
      /** @description The operator's note. Null until the occurrence is resolved. */
      resolution: string | null;
      /**
       * Format: date-time
       * @description When the alarm was raised.
       */
      raised_at: string;
      /**
       * Format: date-time
       * @description Time of the sample that raised the alarm.
       */
      source_ts: string | null;
      /**
       * Format: date-time
       * @description When the occurrence last changed in its source. Of several snapshots the latest one counts.
       */
      updated_at: string;
      /**
       * Format: date-time
       * @description When the service last stored the occurrence. updated_since compares against it.
       */
      synced_at: string;
      /**
       * Format: date-time
       * @description When the condition was gone. Null while it is present.
       */
      cleared_at: string | null;
      /**
       * Format: double
       * @description Value that raised the alarm; for a stale alarm the age in seconds.
       */
      raised_value: number;
      /**
       * Format: double
       * @description Most recent value of the tag.
       */
      last_value: number | null;
      /**
       * Format: double
       * @description Value furthest beyond the rule's limit while the condition was present.
       */
      peak_value: number | null;
      /**
       * Format: date-time
       * @description Time of peak_value.
       */
      peak_at: string | null;
      /**
       * Format: double
       * @description Value when the condition was gone. Null until then.
       */
      recovered_value: number | null;
      /** @description Tag of the alarm. While device_id is null, group alarms by tag and site. */
      source_tag: string;
      /** @description Measure that the tag reports. */
      measure: string | null;
      /** @description Description of the rule. */
      rule_description: string | null;
      /** @description Labels of the alarm: of each set bit of a bitmask rule, of the code of an enum rule, or of an alarm point (from its device model's list, otherwise its identifier). */
      decoded_labels: string[];
      /** @description Identifier of an alarm point, such as Error-17. It stays when the label changes. Null for other alarms. */
      point_key: string | null;
      /** @description Class of the alarm, such as fire, comms or trip. An open set. Null if it has none. */
      alarm_class: string | null;
      /** @description Whether the alarm is relevant to NERC compliance, by its alarm point or its rule. */
      is_nerc: boolean;
      /** @description Device that the tag is mapped to. Null until the tag is mapped. */
      device_id: string | null;
      /** @description Name of the device. Null until mapped. */
      device_name: string | null;
      /** @description Type of the device. Null until mapped. */
      device_type: string | null;
      /** @description The device's parent. Null until mapped, or if it has none. */
      parent_device_id: string | null;
      /** @description The rule's limits when it raised the alarm; the keys depend on kind (see /docs/alarms). Left out if there are none. */
      params?: unknown;
      /** @description Events of the alarm's life, oldest first; in lists only the newest 50. */
      events: components["schemas"]["AlarmEvent"][];
      /**
       * Format: int32
       * @description Number of events of the whole timeline.
       */
      events_total: number;
      /** @description Whether events has only the newest ones. */
      events_truncated: boolean;
      /** @description All alarms of a site's flood that were raised at the same time: they share one event. */
      flood?: components["schemas"]["AlarmOfWebhookFlood"];
    };
    /** @description All alarms of a site's flood that were raised at the same time: they share one event. */
    AlarmOfWebhookFlood: {
      /**
       * Format: int32
       * @description Number of alarms that were raised at the same time.
       */
      occurrences: number;
      /** @description The newest of them. */
      occurrence_ids: string[];
    };
    AlarmReportAnswer: {
      project_id: string;
      /** @description Start of the range, inclusive. ISO 8601, UTC. */
      from: string;
      /** @description End of the range, exclusive; at most now. ISO 8601, UTC. */
      to: string;
      sites: components["schemas"]["AlarmReportAnswerSite"][];
    };
    AlarmReportAnswerSite: {
      /** @description Key of the site. */
      site: string;
      name: string;
      /** @description Alarms that were raised in the range: occurrences by raised_at, each once, even if it was reraised. Inhibited and late alarms count only in their own figures and in the standing alarms. */
      annunciated: number;
      /** @description Alarms that were held back from the queue by another alarm (comms, grid). */
      inhibited: number;
      /** @description Occurrences that were recorded from late samples, raised and cleared at once. */
      late: number;
      rate: components["schemas"]["AlarmReportAnswerSiteRate"];
      floods: components["schemas"]["AlarmReportAnswerSiteFloods"];
      chattering: components["schemas"]["AlarmReportAnswerSiteChattering"];
      fleeting: components["schemas"]["AlarmReportAnswerSiteFleeting"];
      standing: components["schemas"]["AlarmReportAnswerSiteStanding"];
      /** @description The 10 alarms (a rule on a tag) that were raised most often. */
      top: components["schemas"]["AlarmReportAnswerSiteTop"];
      by_severity: components["schemas"]["AlarmReportAnswerSiteBySeverity"][];
      by_class: components["schemas"]["AlarmReportAnswerSiteByClass"][];
      time_to_claim: components["schemas"]["AlarmReportAnswerSiteTimeToClaim"];
      time_to_clear: components["schemas"]["AlarmReportAnswerSiteTimeToClear"];
    };
    AlarmReportAnswerSiteByClass: {
      alarm_class: string | null;
      /** @description Annunciated alarms. */
      count: number;
      /** @description Share of the annunciated alarms. 0 to 1; null if there is nothing to count. */
      share: number | null;
    };
    AlarmReportAnswerSiteBySeverity: {
      severity: string;
      /** @description Annunciated alarms. */
      count: number;
      /** @description Share of the annunciated alarms. 0 to 1; null if there is nothing to count. */
      share: number | null;
    };
    AlarmReportAnswerSiteChattering: {
      /** @description Alarms (a rule on a tag) that were raised three times or more within 60 s. */
      count: number;
      /** @description How often an alarm was at least the third within that time. */
      repeats: number;
      /** @description Alarms with the most repeats, at most 100. */
      worst: components["schemas"]["AlarmReportAnswerSiteChatteringWorst"][];
    };
    AlarmReportAnswerSiteChatteringWorst: {
      rule_name: string;
      source_tag: string;
      /** @description How often it was annunciated. */
      alarms: number;
      /** @description How often it was at least the third. */
      repeats: number;
      /** @description First in the range. ISO 8601, UTC. */
      first_at: string;
      /** @description Last in the range. ISO 8601, UTC. */
      last_at: string;
    };
    AlarmReportAnswerSiteFleeting: {
      /** @description Annunciated alarms that cleared within 60 s. */
      count: number;
      /** @description Share of the annunciated alarms. 0 to 1; null if there is nothing to count. */
      share: number | null;
    };
    AlarmReportAnswerSiteFloods: {
      /** @description A flood begins with a period of 10 or more alarms and ends when a period has fewer than 5. */
      count: number;
      /** @description Periods that are part of a flood. */
      periods: number;
      /** @description Share of all periods: the share of time in flood. 0 to 1; null if there is nothing to count. */
      period_share: number | null;
      /** @description Annunciated alarms during floods. */
      alarms: number;
      /** @description Floods with the most alarms, at most 100. */
      worst: components["schemas"]["AlarmReportAnswerSiteFloodsWorst"][];
    };
    AlarmReportAnswerSiteFloodsWorst: {
      /** @description Start of its first period. ISO 8601, UTC. */
      from: string;
      /** @description End of its last period. ISO 8601, UTC. */
      to: string;
      /** @description Seconds. */
      length_s: number;
      /** @description Annunciated alarms in it. */
      alarms: number;
      /** @description Largest number in one period. */
      peak: number;
    };
    AlarmReportAnswerSiteRate: {
      /** @description Annunciated alarms per 10 minutes; null for an empty range. */
      average: number | null;
      /** @description Largest number in one period. Periods are 10 minutes by the clock in UTC; the first and the last one can be cut by the range. Null for an empty range. */
      peak: number | null;
      /** @description Start of the first such period; null without alarms. */
      peak_at: string | null;
      /** @description Periods that overlap the range. */
      periods: number;
      /** @description Periods with 10 or more. */
      high_periods: number;
      /** @description Share of all periods. 0 to 1; null if there is nothing to count. */
      high_period_share: number | null;
    };
    AlarmReportAnswerSiteStanding: {
      /** @description Alarms that are active at the end of the range, whenever they were raised and whatever their status: not cleared, and with the policy manual also not resolved. */
      count: number;
      /** @description Standing alarms that are older than 24 h. */
      stale: number;
      /** @description At most 100. */
      oldest: components["schemas"]["AlarmReportAnswerSiteStandingOldest"][];
    };
    AlarmReportAnswerSiteStandingOldest: {
      occurrence_id: string;
      svc_occurrence_ref: string;
      rule_name: string;
      source_tag: string;
      severity: string;
      /** @description Its present status. */
      status: string;
      /** @description When it was raised. ISO 8601, UTC. */
      raised_at: string;
      /** @description Seconds until the end of the range. */
      age_s: number;
    };
    AlarmReportAnswerSiteTimeToClaim: {
      /** @description Annunciated alarms that were claimed: from raised_at to the first claim. */
      count: number;
      /** @description Seconds; null if there is none. */
      median_s: number | null;
      /** @description 90th percentile, in seconds; null if there is none. */
      p90_s: number | null;
    };
    AlarmReportAnswerSiteTimeToClear: {
      /** @description Annunciated alarms that were cleared: from raised_at to cleared_at. */
      count: number;
      /** @description Seconds; null if there is none. */
      median_s: number | null;
      /** @description 90th percentile, in seconds; null if there is none. */
      p90_s: number | null;
    };
    /** @description The 10 alarms (a rule on a tag) that were raised most often. */
    AlarmReportAnswerSiteTop: {
      /** @description The 10 together: share of the annunciated alarms. 0 to 1; null if there is nothing to count. */
      share: number | null;
      alarms: components["schemas"]["AlarmReportAnswerSiteTopAlarm"][];
    };
    AlarmReportAnswerSiteTopAlarm: {
      rule_name: string;
      source_tag: string;
      /** @description How often it was annunciated. */
      count: number;
      /** @description Share of the annunciated alarms. 0 to 1; null if there is nothing to count. */
      share: number | null;
    };
    /**
     * @example {
     *       "note": "A fuse was replaced."
     *     }
     */
    AlarmResolveBody: {
      /** @description What was found and what was done. */
      note: string;
      /** @description User who acts, by id or e-mail; not needed with a user's own token. */
      user?: string;
    };
    /**
     * @example {
     *       "until": "2026-06-02T08:00:00Z",
     *       "reason": "Parts are on their way."
     *     }
     */
    AlarmShelveBody: {
      /** @description When it returns to the queue: ISO 8601 with an offset. */
      until: string;
      /** @description Why it can wait. */
      reason: string;
      /** @description User who acts, by id or e-mail; not needed with a user's own token. */
      user?: string;
    };
    /**
     * @description A source without a queue leaves it out; then the status here does not change.
     * @enum {string}
     */
    AlarmsStatus: "open" | "claimed" | "shelved" | "resolved";
    /** @enum {string} */
    AvailabilityInclude: "known" | "ts_utc";
    /** AvailabilityOverride */
    AvailabilityOverride: {
      override_id: string;
      project_id: string;
      /** @description hierarchy_id, as in the rows of availability. */
      hierarchy_ids: string[];
      /** @description Null where it declares a loss. */
      state: components["schemas"]["Event"] | null;
      /** @description What it declares lost, else null. */
      loss: components["schemas"]["Loss"] | null;
      /** @description How much of the expected energy that is, else null. */
      share: number | null;
      /** @description ISO 8601, UTC, inclusive. */
      from: string;
      /** @description ISO 8601, UTC, exclusive. */
      to: string;
      reason: string;
      /** @description Name of the token that made the override. */
      author: string;
      /** @description ISO 8601, UTC. */
      created_at: string;
    };
    /** AvailabilityRow */
    AvailabilityRow: {
      /** @description First day of the bucket in the site's time zone, YYYY-MM-DD. */
      bucket_start: string;
      /** @description Project. Null when group_by lacks project_id. */
      project_id: string | null;
      /** @description Block. Null when group_by lacks block_id. */
      svc_block_id: string | null;
      /** @description Inverter. Null when group_by lacks hierarchy_id. */
      hierarchy_id: string | null;
      /** @description Data stream of the row. */
      sentinel_tag: string;
      /**
       * Format: double
       * @description Rated power times the daylight hours with a known state. It can be summed over buckets and groups. Unit: kWh.
       */
      capacity_hours: number;
      /**
       * Format: double
       * @description The part of capacity_hours lost to unavailability. It can be summed likewise. Unit: kWh.
       */
      unavailable_capacity_hours: number;
      /**
       * Format: double
       * @description 1 - unavailable_capacity_hours / capacity_hours, within 0 to 1. Null, not 0, when capacity_hours is 0.
       */
      availability: number | null;
      /**
       * Format: int32
       * @description Inverters in the row.
       */
      inverter_count: number;
      /**
       * Format: int32
       * @description Inverters with a known capacity; only these count toward the figure.
       */
      capacity_known_inverter_count: number;
      /** @description True when some inverters have no known capacity. */
      is_partial: boolean;
      /**
       * Format: double
       * @description Rated power times the daylight hours with a known state, the same as capacity_hours. With include=known. Unit: kWh.
       */
      known_capacity_hours?: number;
      /**
       * Format: double
       * @description Rated power times all daylight hours of the days that are computed. With include=known. Unit: kWh.
       */
      daylight_capacity_hours?: number;
      /**
       * Format: date-time
       * @description Start of the bucket as an instant, UTC. Null if the row combines time zones in which the bucket starts at different instants. With include=ts_utc.
       */
      ts_utc?: string | null;
    };
    /**
     * @default OneDay
     * @enum {string}
     */
    AvailabilityTimeInterval: "OneDay" | "OneWeek" | "OneMonth" | "Full";
    /** AvailabilityTimelineRow */
    AvailabilityTimelineRow: {
      /** @description Inverter. */
      hierarchy_id: string;
      /** @description The inverter's device. */
      device_id: string;
      /** @description Name of the device. */
      device_name: string;
      /**
       * Format: date-time
       * @description Start of the span, inclusive.
       */
      from: string;
      /**
       * Format: date-time
       * @description End of the span, exclusive.
       */
      to: string;
      /** @description State by IEC TS 63019. */
      state: components["schemas"]["Event"];
      /** @description Evidence for the state: the first one that was present. */
      evidence: components["schemas"]["AvailabilityTimelineRowEvidence"];
      /** @description Details of the evidence. */
      detail: string | null;
      /**
       * Format: double
       * @description How much of the span counts as unavailable, 0 to 1. Null where the state is unknown.
       */
      unavailable: number | null;
      /** @description The override at the start of the span. Null if there is none. */
      override_id: string | null;
      /** @description Its reason. */
      override_reason: string | null;
      /** @description Name of the token that made the override. */
      override_author: string | null;
    };
    /**
     * @description Evidence for the state: the first one that was present.
     * @enum {string}
     */
    AvailabilityTimelineRowEvidence:
      | "override"
      | "work_order"
      | "grid"
      | "status"
      | "alarm"
      | "peers"
      | "counter"
      | "power"
      | "none";
    /** Backup */
    Backup: {
      name: string;
      state: components["schemas"]["BackupState"];
      /** @description Size of the file; while it is made, what is written. */
      bytes: number;
      /** @description Of all that is to be copied and read. */
      percent: number;
      /** @description Why it failed; null if it did not. */
      reason: string | null;
    };
    BackupPostAnswer: {
      name: string;
    };
    /** @enum {string} */
    BackupState: "running" | "failed" | "done";
    BackupsAnswer: {
      backups: components["schemas"]["Backup"][];
    };
    /**
     * @example inverter
     * @enum {string}
     */
    Component:
      | "system"
      | "block"
      | "transformer"
      | "feeder"
      | "meter"
      | "met"
      | "inverter"
      | "combiner"
      | "mppt"
      | "tracker"
      | "tracker_controller"
      | "tracker_motor"
      | "bess"
      | "bess_section"
      | "bess_feeder"
      | "bess_block"
      | "bess_bus"
      | "bess_container"
      | "bess_dcc"
      | "bess_pcs"
      | "bess_rack"
      | "bess_meter"
      | "bess_ppc";
    /** CounterEvent */
    CounterEvent: {
      /** @description What happened. */
      kind: components["schemas"]["CounterEventKind"];
      /** @description The counter. */
      hierarchy_id: string;
      /** @description Its tag. */
      sensor_tag: string;
      /**
       * Format: date-time
       * @description Time of the first reading after the step; of a reset without one, its time.
       */
      ts: string;
      /**
       * Format: double
       * @description The first reading after the step, as it was sent. Null if there is none yet.
       */
      value: number | null;
      /**
       * Format: date-time
       * @description Time of the last reading before the step.
       */
      before_ts: string | null;
      /**
       * Format: double
       * @description The last reading before the step, as it was sent.
       */
      before_value: number | null;
      /**
       * Format: int32
       * @description How many readings in a row are suspect, or how many made the new level a track.
       */
      readings: number;
      /**
       * Format: double
       * @description What was counted over the step, in the register's unit. Null: nothing.
       */
      counted: number | null;
      /**
       * Format: double
       * @description The most that is physically possible over the step. Null: not known.
       */
      most: number | null;
      /** @description ID of the declared reset. */
      reset_id: string | null;
      /**
       * Format: date-time
       * @description Time of the declared reset.
       */
      reset_at: string | null;
      /**
       * Format: double
       * @description Declared: the last value before the reset.
       */
      last_value: number | null;
      /**
       * Format: double
       * @description Declared: the first value after the reset.
       */
      first_value: number | null;
      /** @description Name of the token that declared the reset. Null if a site file declares it. */
      author: string | null;
      /** @description Whether the declared reset settles a step between the two readings. Null: no reset. */
      applied: boolean | null;
      /** @description How the declared reset fits the two readings. Null: no reset. */
      fit: components["schemas"]["Fit"] | null;
    };
    /** @enum {string} */
    CounterEventKind: "suspect" | "new_track" | "wrap" | "reset";
    /** CounterReset */
    CounterReset: {
      reset_id: string;
      /** @description The counter's tag. */
      sensor_tag: string;
      /** @description ISO 8601, UTC. */
      at: string;
      last_value: number;
      first_value: number;
      /** @description Name of the token that declared it. */
      author: string | null;
      /** @description Time of the last usable reading before it. */
      before_ts: string | null;
      /** @description That reading, as it was sent. */
      before_value: number | null;
      /** @description Time of the first usable reading from it on. */
      ts: string | null;
      /** @description That reading, as it was sent. */
      value: number | null;
      /** @description How it fits the two readings. */
      fit: components["schemas"]["Fit"];
    };
    /**
     * @example {
     *       "tag": "mtr1.e_export_kwh",
     *       "at": "2026-06-01T11:30:00+02:00",
     *       "last_value": 812344.5,
     *       "first_value": 0
     *     }
     */
    CounterResetPostBody: {
      /** @description Name of the tag that reads the counter. */
      tag: string;
      /**
       * Format: date-time
       * @description When the step happened: a text, ISO 8601 with an offset.
       */
      at: string;
      /** @description The counter's last value before it, as the tag would send it. */
      last_value: number;
      /** @description Its first value after it, likewise. */
      first_value: number;
    };
    /**
     * @description table: the sign before decimals
     * @enum {string}
     */
    Decimal: "." | ",";
    /**
     * DeletedIssue
     * @description The deleted issue.
     */
    DeletedIssue: {
      /** @description ID of the deleted issue. */
      id: string;
      /** @description Its name. */
      name: string;
    };
    /**
     * DeletedWorkOrder
     * @description The deleted work order.
     */
    DeletedWorkOrder: {
      /** @description ID of the deleted work order. */
      id: string;
      /** @description Its title. */
      title: string;
    };
    DeliveriesAnswer: {
      deliveries: components["schemas"]["Delivery"][];
    };
    /** Delivery */
    Delivery: {
      id: string;
      subscription_id: string;
      event_id: string;
      type: components["schemas"]["DeliveryType"];
      state: components["schemas"]["DeliveryState"];
      /** @description Attempts made so far. */
      attempts: number;
      /** @description When the next attempt is due; null if there is none. */
      due_at: string | null;
      /** @description When it was acknowledged or became dead. */
      settled_at: string | null;
      /** @description ISO 8601, UTC. */
      created_at: string;
    };
    DeliveryAnswer: {
      id: string;
      subscription_id: string;
      event_id: string;
      type: components["schemas"]["DeliveryType"];
      state: components["schemas"]["DeliveryState"];
      /** @description Attempts made so far. */
      attempts: number;
      /** @description When the next attempt is due; null if there is none. */
      due_at: string | null;
      /** @description When it was acknowledged or became dead. */
      settled_at: string | null;
      /** @description ISO 8601, UTC. */
      created_at: string;
      attempt_log: components["schemas"]["DeliveryAnswerAttemptLog"][];
    };
    DeliveryAnswerAttemptLog: {
      attempt: number;
      /** @description ISO 8601, UTC. */
      sent_at: string;
      took_ms: number;
      /** @description Null if no answer came. */
      status: number | null;
      /** @description Why no answer came. */
      error: string | null;
      /** @description The address that was called, or refused. */
      address: string | null;
      /** @description The first KiB of the answer. */
      answer: string | null;
    };
    DeliveryReplayAnswer: {
      /** @description Number of events that were found. */
      events: number;
      /** @description Number of deliveries that were made; events that are still being sent make none. */
      deliveries: number;
    };
    DeliveryReplayBody: {
      /** @description The subscription. With event_id it can be left out: then all that the event is for. */
      subscription_id?: string;
      /** @description The one event. */
      event_id?: string;
      /** @description Or all events recorded at or after this time: ISO 8601 with an offset. */
      from?: string;
      /** @description … and before this time. */
      to?: string;
    };
    /** @enum {string} */
    DeliveryState: "pending" | "acknowledged" | "dead" | "held";
    /** @enum {string} */
    DeliveryType:
      | "alarm.raised"
      | "alarm.updated"
      | "alarm.cleared"
      | "alarm.resolved"
      | "issue.created"
      | "issue.updated"
      | "issue.resolved"
      | "issue.merged"
      | "issue.deleted"
      | "workorder.created"
      | "workorder.updated"
      | "workorder.completed"
      | "workorder.deleted"
      | "report.ready"
      | "webhook.test";
    /** DeprecatedPerformanceRow */
    DeprecatedPerformanceRow: {
      /** @description Project. Null when group_by lacks project_id. */
      project_id: string | null;
      /** @description Block. Null when group_by lacks block_id. */
      svc_block_id: string | null;
      /** @description Sensor. Null when group_by lacks hierarchy_id. */
      hierarchy_id: string | null;
      /** @description SCADA sensor tag. Null when group_by lacks hierarchy_id. */
      sensor_tag: string | null;
      /** @description Deployment tag of the row. */
      sentinel_tag: string;
      /** @description Portfolio of the project. Null when it is in none, or when the group's differ. */
      portfolio: string | null;
      /** @description Component of the request. */
      component: string;
      /** @description Measure of the request. */
      component_measure: string;
      /** @description Bucket start in the site's time zone, YYYY-MM-DD HH:MM:SS. */
      ts: string;
      /**
       * Format: double
       * @description Measured value aggregated over the bucket. Null without finite samples.
       */
      sensor_value: number | null;
      /**
       * Format: double
       * @description Expected value aggregated over the bucket. 0 when no model covers it.
       */
      model_value: number;
    };
    /** Destination */
    Destination: {
      key: string;
      kind: components["schemas"]["DestinationKind"];
      /** @description Name of the token that it was made with. */
      author: string;
      state: components["schemas"]["DestinationState"];
      /** @description The destination without its secrets, as a body for PUT. */
      definition: {
        [key: string]: unknown;
      };
    };
    DestinationDeleteAnswer: {
      key: string;
    };
    /** @enum {string} */
    DestinationKind: "parquet_folder" | "parquet_s3" | "remote_write" | "mqtt" | "sparkplug";
    DestinationPutBodyMqtt: {
      /** @description Its key, unique in its project. */
      key?: string;
      /**
       * @description Whether anything is sent. What is stored meanwhile waits.
       * @default true
       */
      enabled?: boolean;
      /**
       * @description Which tags are sent: names, in which `*` stands for any text.
       * @default [
       *       "*"
       *     ]
       */
      tags?: string[];
      /** @constant */
      kind: "mqtt";
      /** @description Address of the broker. */
      host: string;
      /** @description Port; by default 1883, or 8883 with TLS. */
      port?: number;
      /**
       * @description Whether the connection is encrypted (mqtts).
       * @default false
       */
      tls?: boolean;
      /**
       * @description Version of MQTT.
       * @default 5
       */
      version?: components["schemas"]["Version"];
      /** @description Its name at the broker, by default `wattkeeper-KEY`. No other client may have it. */
      client_id?: string;
      /** @description Name that it signs in with. */
      user?: string;
      /**
       * @description Seconds without a message after which broker and source ask for each other.
       * @default 30
       */
      keep_alive_s?: number;
      /**
       * @description How long an answer of the broker is waited for.
       * @default 10000
       */
      timeout_ms?: number;
      /** @description Its password. It is sealed, and never answered. */
      password?: string;
      /** @description Certificate (PEM) of the authority that signed the broker's, where that is none of the public ones. */
      ca?: string;
      /**
       * @description Whether what was stored before the destination was made is sent, too.
       * @default false
       */
      history?: boolean;
      /**
       * @description Topic of a sample, by {project}, {device} (its key) and {tag}.
       * @default {project}/{tag}
       */
      topic?: string;
      /**
       * @description Whether the broker keeps the last sample of each topic for who comes later.
       * @default false
       */
      retain?: boolean;
    };
    DestinationPutBodyParquetFolder: {
      /** @description Its key, unique in its project. */
      key?: string;
      /**
       * @description Whether anything is sent. What is stored meanwhile waits.
       * @default true
       */
      enabled?: boolean;
      /**
       * @description Which tags are sent: names, in which `*` stands for any text.
       * @default [
       *       "*"
       *     ]
       */
      tags?: string[];
      /** @constant */
      kind: "parquet_folder";
      /** @description Folder in that of the setting destination_dir. */
      folder: string;
      /**
       * @description How much goes into a file: what was stored in an hour, or in a day (UTC).
       * @default hour
       */
      period?: components["schemas"]["Period"];
      /**
       * @description Whether what was stored before the destination was made is sent, too.
       * @default true
       */
      history?: boolean;
    };
    DestinationPutBodyParquetS3: {
      /** @description Its key, unique in its project. */
      key?: string;
      /**
       * @description Whether anything is sent. What is stored meanwhile waits.
       * @default true
       */
      enabled?: boolean;
      /**
       * @description Which tags are sent: names, in which `*` stands for any text.
       * @default [
       *       "*"
       *     ]
       */
      tags?: string[];
      /** @constant */
      kind: "parquet_s3";
      /** @description Address of the store, such as https://s3.eu-central-1.example. */
      endpoint: string;
      /** @description The bucket; it has to be there. */
      bucket: string;
      /** @description Folder in the bucket; none by default. */
      prefix?: string;
      /**
       * @description Region that requests are signed for.
       * @default us-east-1
       */
      region?: string;
      /**
       * @description path: endpoint/bucket/name; host: bucket.endpoint/name, as AWS has it.
       * @default path
       */
      style?: components["schemas"]["Style"];
      /** @description Name of the key. */
      access_key_id: string;
      /** @description The key itself. It is sealed, and never answered. */
      secret_access_key?: string;
      /**
       * @description How much goes into a file: what was stored in an hour, or in a day (UTC).
       * @default hour
       */
      period?: components["schemas"]["Period"];
      /**
       * @description Whether what was stored before the destination was made is sent, too.
       * @default true
       */
      history?: boolean;
    };
    DestinationPutBodyRemoteWrite: {
      /** @description Its key, unique in its project. */
      key?: string;
      /**
       * @description Whether anything is sent. What is stored meanwhile waits.
       * @default true
       */
      enabled?: boolean;
      /**
       * @description Which tags are sent: names, in which `*` stands for any text.
       * @default [
       *       "*"
       *     ]
       */
      tags?: string[];
      /** @constant */
      kind: "remote_write";
      /** @description Address that is written to, such as http://10.0.0.5:9090/api/v1/write. */
      url: string;
      /** @description Name to sign in with (HTTP Basic). */
      user?: string;
      /** @description Its password. It is sealed, and never answered. */
      password?: string;
      /** @description Or a token (Bearer). It is sealed, and never answered. */
      token?: string;
      /** @description X-Scope-OrgID, where the receiver has tenants. */
      tenant?: string;
      /**
       * @description Labels that every series gets; `project` is there already.
       * @example {}
       */
      labels?: {
        [key: string]: string;
      };
      /**
       * @description Whether the receiver takes samples in any order of time (VictoriaMetrics; Prometheus with an out_of_order_time_window). What came last is sent first then; else the oldest is.
       * @default false
       */
      takes_late?: boolean;
      /**
       * @description Whether what was stored before the destination was made is sent, too.
       * @default false
       */
      history?: boolean;
    };
    DestinationPutBodySparkplug: {
      /** @description Its key, unique in its project. */
      key?: string;
      /**
       * @description Whether anything is sent. What is stored meanwhile waits.
       * @default true
       */
      enabled?: boolean;
      /**
       * @description Which tags are sent: names, in which `*` stands for any text.
       * @default [
       *       "*"
       *     ]
       */
      tags?: string[];
      /** @constant */
      kind: "sparkplug";
      /** @description Address of the broker. */
      host: string;
      /** @description Port; by default 1883, or 8883 with TLS. */
      port?: number;
      /**
       * @description Whether the connection is encrypted (mqtts).
       * @default false
       */
      tls?: boolean;
      /**
       * @description Version of MQTT.
       * @default 5
       */
      version?: components["schemas"]["Version"];
      /** @description Its name at the broker, by default `wattkeeper-KEY`. No other client may have it. */
      client_id?: string;
      /** @description Name that it signs in with. */
      user?: string;
      /**
       * @description Seconds without a message after which broker and source ask for each other.
       * @default 30
       */
      keep_alive_s?: number;
      /**
       * @description How long an answer of the broker is waited for.
       * @default 10000
       */
      timeout_ms?: number;
      /** @description Its password. It is sealed, and never answered. */
      password?: string;
      /** @description Certificate (PEM) of the authority that signed the broker's, where that is none of the public ones. */
      ca?: string;
      /**
       * @description Whether what was stored before the destination was made is sent, too.
       * @default false
       */
      history?: boolean;
      /** @description Group of the edge node. */
      group: string;
      /** @description Its name in the group; no other client may have it. */
      node: string;
      /** @description Host without which nothing is sent: what is stored waits until its STATE says that it is there. */
      primary_host?: string;
    };
    DestinationRetryAnswer: {
      /** @description How many were set aside. */
      rows: number;
    };
    /** DestinationSetAside */
    DestinationSetAside: {
      tag: string;
      rows: number;
      /** @description ISO 8601, UTC. */
      first_ts: string;
      /** @description ISO 8601, UTC. */
      last_ts: string;
      /** @description What the destination says of the last of them. */
      reason: string;
      /** @description ISO 8601, UTC. */
      changed_at: string;
    };
    DestinationState: {
      /** @description Whether it took the last that it was sent; null as long as nothing was. */
      connected: boolean | null;
      /** @description What is wrong, and what to do; null: nothing is. */
      reason: string | null;
      /** @description ISO 8601, UTC. */
      trouble_since: string | null;
      /** @description ISO 8601, UTC. */
      next_try_at: string | null;
      /** @description What else you should know. */
      notes: string[];
      /** @description Rows taken, a second of the last minute. */
      rows_per_s: number;
      /** @description Age of the oldest live row that waits; 0: none does. */
      lag_s: number;
      /** @description Rows that wait, of all the project's tags; counted within the last minute. */
      waiting_rows: number;
      /** @description Spans of storing time that the waiting rows are told by. */
      spans: number;
      /** @description Rows that it does not take: see /set-aside. */
      set_aside_rows: number;
      /** @description What the disk had no room for until it was sent, the last first. */
      lost: components["schemas"]["DestinationStateLost"][];
      /** @description The newest first. */
      days: components["schemas"]["DestinationStateDay"][];
    };
    DestinationStateDay: {
      /** @description YYYY-MM-DD (UTC). */
      day: string;
      /** @description Sent. */
      bytes: number;
      /** @description Taken by the destination. */
      rows: number;
    };
    DestinationStateLost: {
      /** @description YYYY-MM-DD (UTC), of the rows. */
      day: string;
      rows: number;
      /** @description ISO 8601, UTC. */
      lost_at: string;
    };
    /**
     * @default both
     * @enum {string}
     */
    Direction: "rising" | "falling" | "both";
    /**
     * @description Which column holds the value: value, value_int or value_str.
     * @enum {string}
     */
    Encoding: "float" | "integer" | "string";
    /** @enum {string} */
    Event:
      | "full_capability"
      | "partial_capability"
      | "service_setpoint"
      | "requested_shutdown"
      | "out_of_environmental_specification"
      | "out_of_electrical_specification"
      | "dc_side_outage"
      | "forced_outage"
      | "planned_corrective_action"
      | "scheduled_maintenance"
      | "suspended"
      | "unknown";
    /** @enum {string} */
    EventType:
      | "*"
      | "alarm.*"
      | "issue.*"
      | "workorder.*"
      | "report.*"
      | "alarm.raised"
      | "alarm.updated"
      | "alarm.cleared"
      | "alarm.resolved"
      | "issue.created"
      | "issue.updated"
      | "issue.resolved"
      | "issue.merged"
      | "issue.deleted"
      | "workorder.created"
      | "workorder.updated"
      | "workorder.completed"
      | "workorder.deleted"
      | "report.ready"
      | "webhook.test";
    /** ExcessSensor */
    ExcessSensor: {
      /** @description The sensor. */
      hierarchy_id: string;
      /** @description Its tag. */
      sensor_tag: string;
      /** @description Its device. Null if it belongs to the site as a whole. */
      device_id: string | null;
      /** @description Name of the device. */
      device_name: string | null;
      /** @description Component that it measures. */
      component: string;
      /**
       * Format: double
       * @description Its rated power, W.
       */
      rated_w: number;
      /**
       * Format: double
       * @description The power of the greatest size among its minutes, W.
       */
      greatest_w: number;
      /**
       * Format: date-time
       * @description Start of the quarter-hour that has it.
       */
      greatest_at: string;
      /**
       * Format: int32
       * @description How many quarter-hours have a minute beyond twice the rated power.
       */
      quarter_hours: number;
      /**
       * Format: date-time
       * @description Start of the first of them.
       */
      first_at: string;
      /**
       * Format: date-time
       * @description Start of the last of them.
       */
      last_at: string;
      /**
       * Format: double
       * @description 1000 or 1000000 where the values, divided by it, fit the rated power: likely the unit of the tag, its `scale`, or the rated power itself is wrong by that. Null where neither fits.
       */
      divisor: number | null;
      /** @description The unit of power that the `scale` of the tag reads its values in. Null without a divisor, or where no unit is of that scale. */
      read_as: string | null;
      /** @description The unit that its values fit the rated power in: they are likely sent in it. Null as `read_as` is. */
      fits_as: string | null;
    };
    /** @enum {string} */
    Fit: "fits" | "no_reading" | "last_value_low" | "first_value_high" | "impossible";
    /**
     * @description Where the expected value comes from: the model, or the median of the peers.
     * @enum {string}
     */
    From: "model" | "peers";
    /** Gateway */
    Gateway: {
      /** @description The machine's own name. */
      name: string;
      /** @description Of the program. */
      version: string;
      /** @description Age of its oldest live row that waits. */
      lag_s: number;
      /** @description Rows that wait to be forwarded. */
      waiting_rows: number;
      /** @description Rows that it had to drop before they were forwarded. */
      lost_rows: number;
      /** @description What its token is called. */
      token_name: string;
      /** @description ISO 8601, UTC. */
      heard_at: string;
      /** @description Whether it was not heard for a minute, or since the start. */
      is_away: boolean;
      /** @description Why it counts as away; null: it does not. */
      away_reason: string | null;
      /** @description How the newest versions go of the site files that it pulls, as it told last. */
      sites: components["schemas"]["GatewaySite"][];
    };
    GatewayCodePostAnswer: {
      /** @description Shown only in this answer. */
      code: string;
      /** @description ISO 8601, UTC. */
      expires_at: string;
    };
    GatewayCodePostBody: {
      /** @description What the gateway's token is called. */
      name: string;
      /** @description Projects of one organization, by key or id. */
      projects: string[];
    };
    GatewaySite: {
      /** @description The site's key. */
      site: string;
      /** @description The newest version that the gateway knows. */
      version: number;
      /** @description pulled: The gateway has it, and has not tried it yet. trying: It is applied, and the sources have to be read again within the time of a trial. in_force: It is applied, and stays. replaced: It was in force before another one. rolled_back: It was applied, and the file before it came back; it is not tried again by itself. refused: It does not fit the gateway, and nothing of it was applied. */
      state: components["schemas"]["PulledSiteState"];
      /** @description Why it was rolled back or refused. */
      reason: string | null;
      /** @description The version in force; null for a file that was declared at the gateway, or none. */
      in_force: number | null;
      /** @description Who holds newer versions back; null: nobody. */
      held_by: string | null;
      /** @description ISO 8601, UTC. */
      changed_at: string;
      project_key: string;
    };
    GatewaySiteDeleteAnswer: {
      site: string;
    };
    GatewaySiteDiffAnswer: {
      version: number;
      against: number;
      changes: components["schemas"]["GatewaySiteDiffAnswerChange"][];
    };
    GatewaySiteDiffAnswerChange: {
      action: components["schemas"]["Action"];
      /** @description The name of its table in the site file. */
      kind: string;
      key: string;
      /** @description The fields that an update changes. */
      fields: string[];
    };
    GatewaySitePostAnswer: {
      /** @description The site's key. */
      site: string;
      dry_run: boolean;
      /** @description Empty if the site already matches the file. */
      changes: components["schemas"]["SitePutAnswerChange"][];
      /** @description What goes wrong by the changes, such as a fallback without its sensor, or a unit that is not known. */
      warnings?: string[];
      /** @description Its number in the project; null on a dry run. */
      version: number | null;
      /** @description unchanged: the newest version says the same. */
      result: components["schemas"]["GatewaySitePostAnswerResult"];
    };
    /**
     * @description unchanged: the newest version says the same.
     * @enum {string}
     */
    GatewaySitePostAnswerResult: "published" | "unchanged" | "dry_run";
    /** @enum {string} */
    GroupBy: "project_id" | "block_id" | "hierarchy_id";
    HealthError: {
      name: string;
      message: string;
      version: string;
      status: components["schemas"]["HealthErrorStatus"];
      checks: Record<string, never>[];
    };
    /** @enum {string} */
    HealthErrorStatus: "pass" | "fail";
    HealthzAnswer: {
      /** @enum {string} */
      status: "ok";
      version: string;
    };
    ImportAnswer: {
      import_id: string;
      project_id: string;
      name: string;
      bytes: number;
      /** @description Those at the service; fewer while its state is sending. */
      arrived_bytes: number;
      /** @description Id of the user who sent it. */
      created_by: string | null;
      created_at: string;
      state: components["schemas"]["ImportAnswerState"];
      /** @description Of the file that is being sent or read. */
      percent: number;
      /** @description How it was to be read the last time. */
      settings: {
        [key: string]: unknown;
      };
      /** @description Why it was refused, failed or was cancelled. */
      detail: string | null;
      /** @description The refusal's name and values; open set. */
      refusal: components["schemas"]["ImportAnswerRefusal"] | null;
      /** @description The settings that answer a refusal, the nearest first. */
      asked: string[];
      /** @description What was found in the file. */
      check: components["schemas"]["ImportAnswerCheck"] | null;
      /** @description What became of the rows so far. */
      report: components["schemas"]["ImportAnswerReport"] | null;
    };
    ImportAnswerCheck: {
      format: components["schemas"]["ImportCheckBodyFormat"];
      /** @description Values: a row of a table has several. */
      rows: number;
      rejected_count: number;
      tags: number;
      /** @description Times of the first and the last value, UTC. */
      span: components["schemas"]["ImportAnswerCheckSpan"] | null;
      /** @description Null for rows of samples, as is `time`. */
      cells: components["schemas"]["ImportAnswerCheckCells"] | null;
      time: components["schemas"]["ImportAnswerCheckTime"] | null;
      /** @description Columns that say what a row's values are of. */
      keys: string[];
      /** @description Columns of values; the tags where `keys` make them. */
      columns: components["schemas"]["ImportAnswerCheckColumn"][];
      more_columns: number;
      left_out: components["schemas"]["ImportAnswerCheckLeftOut"][];
      first_rows: components["schemas"]["ImportAnswerCheckFirstRow"][];
      reasons: components["schemas"]["ImportAnswerCheckReason"][];
      /** @description Values under the tag and time of one before. */
      repeats: components["schemas"]["ImportAnswerCheckRepeats"];
      /** @description Numbers that loggers write for no value. */
      doubtful: components["schemas"]["ImportAnswerCheckDoubtful"][];
      /** @description Tags whose powers are beyond their rating: they are taken as they are. */
      excess: components["schemas"]["ImportAnswerCheckExcess"][];
      /** @description Settings that read the file alike. */
      proposed: {
        [key: string]: unknown;
      };
    };
    ImportAnswerCheckCells: {
      delimiter: string;
      decimal: string;
    };
    ImportAnswerCheckColumn: {
      name: string;
      tag: string;
      kind: components["schemas"]["ImportAnswerCheckColumnKind"] | null;
      unit: string | null;
      /** @description The project has no such tag yet. */
      is_new: boolean;
      /** @description What the site file says of the tag. */
      measures: string[];
    };
    /** @enum {string} */
    ImportAnswerCheckColumnKind: "number" | "text";
    ImportAnswerCheckDoubtful: {
      value: number;
      count: number;
      tag: string;
    };
    ImportAnswerCheckExcess: {
      tag: string;
      /** @description How many of its values are over twice the rated power. */
      count: number;
      /** @description The power of the greatest size, W. */
      greatest_w: number;
      /** @description Rated power, W. */
      rated_w: number;
      /** @description 1000 or 1000000 where the values, divided by it, fit the rated power. */
      divisor: number | null;
      /** @description The unit that the tag's `scale` reads them in. */
      read_as: string | null;
      /** @description The unit that they fit the rated power in. */
      fits_as: string | null;
    };
    ImportAnswerCheckFirstRow: {
      line: number;
      ts: string;
      cells: components["schemas"]["ImportAnswerCheckFirstRowCell"][];
      more: number;
    };
    ImportAnswerCheckFirstRowCell: {
      tag: string;
      value: string | number | null;
    };
    ImportAnswerCheckLeftOut: {
      name: string;
      why: string;
    };
    ImportAnswerCheckReason: {
      reason: string;
      count: number;
      first: components["schemas"]["ImportAnswerCheckReasonFirst"][];
    };
    ImportAnswerCheckReasonFirst: {
      line: number;
      tag: string | null;
    };
    /** @description Values under the tag and time of one before. */
    ImportAnswerCheckRepeats: {
      same: number;
      differing: number;
      first: components["schemas"]["ImportAnswerCheckRepeatsFirst"][];
    };
    ImportAnswerCheckRepeatsFirst: {
      line: number;
      tag: string;
      ts: string;
    };
    ImportAnswerCheckSpan: {
      from: string;
      to: string;
    };
    ImportAnswerCheckTime: {
      columns: string[];
      format: string;
      example: string;
      /** @description Null where every time has an offset. */
      timezone: string | null;
      timezone_by: components["schemas"]["TimezoneBy"] | null;
      /** @description The most frequent step between rows. */
      step_s: number;
      /** @description Times are ends of intervals, and stored as their starts. */
      moved: boolean;
    };
    ImportAnswerRefusal: {
      name: string;
      values: {
        [key: string]: string;
      };
    };
    ImportAnswerReport: {
      accepted: number;
      /** @description Of the accepted, the values that replaced another one of their tag and time. */
      corrected: number | null;
      duplicates: number;
      rejected_count: number;
      reasons: components["schemas"]["ImportAnswerCheckReason"][];
      /** @description Every value is stored: none was rejected, and none replaced another one of the file without repeats = last. */
      whole: boolean;
    };
    /** @enum {string} */
    ImportAnswerState:
      | "sending"
      | "sent"
      | "waiting"
      | "checking"
      | "checked"
      | "importing"
      | "imported"
      | "refused"
      | "failed"
      | "cancelled";
    ImportCheckBody: {
      /** @description XLSX: the sheet, where several have rows */
      sheet?: string;
      /** @description table: the column of times by name or number; several: Date+Time */
      time_column?: string | string[];
      /** @description table: how times are written: iso (2026-11-21 05:00:00.5), mdy (11/21/2026 5:00 AM), dmy (21.11.2026 05:00:00), ymd (26/11/21 05:00), dby (21-Nov-2026 05:00:00), packed (20261121 0500), ydoy (2026 325 0500), parts (2026 11 21 5 0), epoch_s (1795237200), epoch_ms (1795237200000), epoch_us (1795237200000000), epoch_ns (1795237200000000000), excel (46347.2083333) */
      time_format?: components["schemas"]["TimeFormat"];
      /** @description table: zone of the times, or -07:00 (default: what the file says, else the project's) */
      timezone?: string;
      /** @description table: a column that says what a row's values are of, such as a device */
      key_column?: string | string[];
      /** @description table: the character between cells */
      delimiter?: string;
      /** @description table: the sign before decimals */
      decimal?: components["schemas"]["Decimal"];
      /** @description table: lines before the header row */
      skip_rows?: number;
      /** @description table: text before each name, to make its tag */
      prefix?: string;
      /** @description table: a text that means no value */
      no_value?: string | string[];
      /** @description table: whether a row's time is the start or the end of its interval; end is moved to the start (default: end for TOA5, start for others) */
      label?: components["schemas"]["Label"];
      /** @description log of a KOSTAL inverter: when it was written, such as 2026-04-28T12:00:00Z, where its times count from the inverter's start */
      written_at?: string;
      /** @description where values repeat a tag and a time with another value: refuse a file in which over 1 % do, or take the last of each (default: refuse) */
      repeats?: components["schemas"]["Repeats"];
      tags?: {
        [key: string]: string | false;
      };
      /** @description Found by the content where left out. */
      format?: components["schemas"]["ImportCheckBodyFormat"];
      /** @description signal: measured values, the default. model: expected ones. forecast: forecasts. */
      lane?: components["schemas"]["SetAsideLane"];
    };
    /** @enum {string} */
    ImportCheckBodyFormat: "ndjson" | "json" | "csv" | "wide" | "toa5" | "arrow";
    ImportsAnswer: {
      imports: components["schemas"]["ImportAnswer"][];
      /** @description The settings; one with choices takes nothing else. */
      settings: components["schemas"]["ImportsAnswerSetting"][];
    };
    ImportsAnswerSetting: {
      name: string;
      kind: components["schemas"]["ImportsAnswerSettingKind"];
      doc: string;
      choices: components["schemas"]["ImportsAnswerSettingChoice"][];
    };
    ImportsAnswerSettingChoice: {
      value: string;
      example: string | null;
    };
    /** @enum {string} */
    ImportsAnswerSettingKind: "text" | "list" | "count";
    InfluxBucketsAnswer: {
      buckets: Record<string, never>[];
    };
    InfluxQueryGetAnswer: {
      results: Record<string, never>[];
    };
    InfluxQueryPostBody: {
      q?: string;
    };
    InfluxWrite2Error: {
      code: string;
      message: string;
    };
    InfluxWrite3Error: {
      error: string;
      /** @description Of a partial write: the first of what was rejected. */
      data?: components["schemas"]["InfluxWrite3ErrorData"][];
    };
    InfluxWrite3ErrorData: {
      error_message: string;
      line_number: number;
    };
    InfluxWriteError: {
      error: string;
    };
    IngestAlarmsAnswer: {
      /** @description Rows that were new or changed something. */
      accepted: number;
      /** @description Rows that changed nothing: events that are already stored, older snapshots. */
      duplicates: number;
      rejected_count: number;
      /** @description The first rejected rows. */
      rejected: components["schemas"]["IngestAlarmsAnswerRejected"][];
      /** @description Accepted events whose occurrence has not arrived yet. */
      waiting: number;
    };
    IngestAlarmsAnswerRejected: {
      /** @description Line in the body, or number of the row, from 1. */
      line: number;
      occurrence_id: string | null;
      reason: string;
    };
    IngestAlarmsWaitingAnswer: {
      occurrence_id: string;
      event_id: string;
      type: string;
      kind: string;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      received_at: string;
    };
    /** IngestAnswer */
    IngestAnswer: {
      /** @description Rows stored, including rows that replaced one. */
      accepted: number;
      /** @description Identical rows that were already stored. */
      duplicates: number;
      rejected_count: number;
      /** @description The first rejected rows. */
      rejected: components["schemas"]["IngestAnswerRejected"][];
      /** @description With include=corrected: the accepted rows that replaced a stored one. */
      corrected?: number;
      /** @description With lane model or forecast: what their values are. */
      note?: string;
    };
    IngestAnswerRejected: {
      /** @description Line in the body, or number of the row, from 1. */
      line: number;
      tag: string | null;
      reason: string;
    };
    IngestDigestsAnswer: {
      digest: string;
      /** @description Place of the tag in the question, hour of the day, rows, digest; none for no rows. */
      hours: (number | string)[][];
    };
    IngestDigestsBody: {
      /** @description A kind of digests: duckdb-2, duckdb-1. */
      digest: string;
      lane: components["schemas"]["SetAsideLane"];
      /** @description Days since 1970 (UTC). */
      day: number;
      tags: string[];
    };
    IngestEnrolAnswer: {
      /** @description With the scope ingest, for the projects that the code was made for. */
      token: string;
    };
    IngestEnrolBody: {
      /** @description The code that the centre made. */
      code: string;
    };
    IngestGatewayAlarmsAnswer: {
      /** @description Alarms that the centre does not take, and why. */
      refused: components["schemas"]["IngestGatewayAlarmsAnswerRefused"][];
      /** @description Alarms of which earlier events are missing here. */
      partial: string[];
      /** @description What was done with the gateway's alarms here. */
      told: components["schemas"]["IngestGatewayAlarmsAnswerTold"][];
      /** @description The last event that was looked at. */
      next_no: number;
      /** @description Whether more follow. */
      is_more: boolean;
    };
    IngestGatewayAlarmsAnswerRefused: {
      occurrence_id: string;
      reason: string;
    };
    IngestGatewayAlarmsAnswerTold: {
      occurrence_id: string;
      events: components["schemas"]["IngestGatewayAlarmsAnswerToldEvent"][];
    };
    IngestGatewayAlarmsAnswerToldEvent: {
      event_id: string;
      type: string;
      kind: string;
      created_at: number;
      body: string | null;
      person: components["schemas"]["IngestGatewayAlarmsAnswerToldEventPerson"] | null;
      detail: string | null;
    };
    IngestGatewayAlarmsAnswerToldEventPerson: {
      email: string | null;
      name: string | null;
    };
    IngestGatewayAlarmsBody: {
      /** @description The machine's own name. */
      gateway: string;
      /** @description All that it stored before is here; microseconds since 1970 UTC ... */
      told_us: number;
      /** @description ... but for what it stored from here ... */
      backlog_from_us: number | null;
      /** @description ... until here, which waits; null: nothing does. */
      backlog_to_us: number | null;
      /** @description The last event of the centre that it has. */
      after_no: number;
      /** @description Alarms that changed, with the events that are new. */
      alarms: unknown[];
    };
    IngestGatewayAnswer: {
      projects: components["schemas"]["IngestGatewayAnswerProject"][];
      /** @description The newest version of each site file that is published for the gateway. */
      sites?: components["schemas"]["IngestGatewayAnswerSite"][];
    };
    IngestGatewayAnswerProject: {
      project_id: string;
      key: string;
    };
    IngestGatewayAnswerSite: {
      project_id: string;
      site: string;
      version: number;
      digest: string;
      remap: boolean;
      author: string;
      published_us: number;
      told_us: number | null;
    };
    IngestGatewayBody: {
      /** @description The machine's own name. */
      name: string;
      /** @description Of the program. */
      version: string;
      /** @description Age of its oldest live row that waits. */
      lag_s: number;
      /** @description Rows that wait to be forwarded. */
      waiting_rows: number;
      /** @description Rows that it had to drop before they were forwarded. */
      lost_rows: number;
    };
    IngestGatewayPhotoPartAnswer: {
      /** @description How many of its bytes are here, from the first one on. */
      have: number;
      /** @description Whether these are all, and on the disk. */
      is_whole: boolean;
    };
    IngestGatewaySiteAnswer: {
      /** Format: base64 */
      content: string;
    };
    IngestGatewaySitesAnswer: {
      /** @description How many were noted. */
      sites: number;
    };
    IngestGatewaySitesBody: {
      /** @description The machine's own name. */
      name: string;
      sites: components["schemas"]["IngestGatewaySitesBodySite"][];
    };
    IngestGatewaySitesBodySite: {
      /** @description The site's key. */
      site: string;
      /** @description The newest version that it knows. */
      version: number;
      state: components["schemas"]["PulledSiteState"];
      /** @description Why it was rolled back or refused. */
      reason: string | null;
      /** @description The version in force; null for a file that was declared at the gateway, or none. */
      in_force: number | null;
      /** @description Who holds newer versions back at the gateway; null: nobody. */
      held_by: string | null;
      /** @description Since when, by the gateway's clock: microseconds since 1970. */
      changed_us: number;
    };
    IngestGatewayWorkAnswer: {
      /** @description Changes that the centre does not take, and why. */
      refused: components["schemas"]["IngestGatewayWorkAnswerRefused"][];
      /** @description Whether the centre has lost changes that it took: tell all again. */
      lacks: boolean;
      /** @description What was changed, the oldest first; the gateway's own, too. */
      changes: unknown[];
      /** @description Issues and work orders that are at its sites no longer. */
      gone: string[];
      /** @description Those of its sites of which it is told, in order. */
      sites: string[];
      /**
       * @description Photos of its sites whose bytes the centre lacks: it may have lost them.
       * @default []
       */
      wanted: string[];
      /** @description The numbers of the issues and work orders that were told either way. */
      numbers: components["schemas"]["IngestGatewayWorkAnswerNumber"][];
      /** @description The last change that is told here ... */
      next_no: number;
      /** @description ... and its mark; null: there is none. */
      next_id: string | null;
      /** @description Whether more follow. */
      is_more: boolean;
    };
    IngestGatewayWorkAnswerNumber: {
      id: string;
      number: number;
    };
    IngestGatewayWorkAnswerRefused: {
      id: string;
      reason: string;
    };
    IngestGatewayWorkBody: {
      /** @description The last change of the centre's that it has ... */
      heard_no: number;
      /** @description ... and its mark; null: it has none. */
      heard_id: string | null;
      /** @description A change of its own that the centre took; null: none. */
      sent_id: string | null;
      /**
       * @description Keys of its sites of the project: it hears of these, and of what is of no site.
       * @default []
       */
      sites?: string[];
      /**
       * @description Issues and work orders that it has, of sites of which it is told no longer.
       * @default []
       */
      had?: string[];
      /** @description Changes that the centre may lack, the oldest first. */
      changes: unknown[];
      /**
       * @description The ids of those among them that the centre took before.
       * @default []
       */
      again?: string[];
    };
    IngestProjectsAnswer: {
      projects: components["schemas"]["IngestProjectsAnswerProject"][];
    };
    IngestProjectsAnswerProject: {
      project_id: string;
      key: string;
      /** @description IANA time zone of the project. */
      timezone: string;
    };
    IngestRatingsAnswer: {
      ratings: components["schemas"]["IngestRatingsAnswerRating"][];
    };
    IngestRatingsAnswerRating: {
      tag: string;
      /** @description Rated power, W. */
      rated_w: number;
      /** @description W = value × scale + offset. */
      scale: number;
      offset: number;
    };
    /**
     * @example OneDay
     * @enum {string}
     */
    Interval:
      | "OneMinute"
      | "FiveMinutes"
      | "TenMinutes"
      | "FifteenMinutes"
      | "ThirtyMinutes"
      | "OneHour"
      | "OneDay"
      | "OneWeek"
      | "OneMonth"
      | "OneYear";
    /** Issue */
    Issue: {
      /** @description ID. */
      id: string;
      /**
       * Format: int32
       * @description Number within the organization, from 1; issues and work orders are numbered separately.
       */
      number: number;
      /** @description Owning organization. */
      organization_id: string;
      /** @description Project. */
      project_id: string;
      /** @description The project's key. */
      project: components["schemas"]["ProjectKey"];
      /** @description Deployment tag. */
      sentinel_tag: string | null;
      /** @description Name. */
      name: string;
      /** @description Description. */
      description: string | null;
      /** @description Status; closed and merged are final. */
      status: components["schemas"]["IssueStatus"];
      /** @description Priority, the most urgent first. */
      priority: components["schemas"]["Priority"];
      /** @description Why the issue was opened. */
      source: components["schemas"]["IssueSource"];
      /**
       * Format: date-time
       * @description Start of the effect.
       */
      effective_from: string | null;
      /**
       * Format: date-time
       * @description End of the effect.
       */
      effective_to: string | null;
      /**
       * Format: date-time
       * @description When it was resolved. Null before that, and when it is open again.
       */
      resolved_at: string | null;
      /** @description Assigned user. Null if there is none. */
      assigned_to: components["schemas"]["User"] | null;
      /** @description User who created it. Null if it was not a user. */
      created_by: components["schemas"]["User"] | null;
      /** @description The devices that are affected. */
      devices: components["schemas"]["IssueDevice"][];
      /** @description Its work orders, by number; without created_by and issue. */
      work_orders: components["schemas"]["IssueWorkOrder"][];
      /** @description ID of the issue that it was merged into. Null if it was not merged. */
      merged_into: string | null;
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When it last changed; for an issue, also when its work orders changed. updated_since compares against it.
       */
      updated_at: string;
    };
    IssueAlarmsBody: {
      /** @description Alarm occurrences of the project. */
      occurrence_ids: string[];
      /** @description User who acts, by id or e-mail; not needed with a user's own token. Without a user, the action has none. */
      user?: string;
    };
    IssueCommentBody: {
      /** @description The comment. */
      body: string;
      /** @description User who acts, by id or e-mail; not needed with a user's own token. Without a user, the action has none. */
      user?: string;
    };
    IssueCountsAnswer: {
      /** @description Only statuses and priorities of which there are any. */
      counts: components["schemas"]["IssueCountsAnswerCount"][];
    };
    IssueCountsAnswerCount: {
      status: string;
      priority: components["schemas"]["Priority"];
      count: number;
    };
    IssueDeleteAnswer: {
      id: string;
      name: string;
    };
    IssueDeleteBody: {
      /** @description User who acts, by id or e-mail; not needed with a user's own token. Without a user, the action has none. */
      user?: string;
    };
    /** IssueDevice */
    IssueDevice: {
      /** @description Device that is affected. */
      device_id: string;
      /** @description Component of the device. */
      component: string;
      /**
       * Format: date-time
       * @description Start of the effect on it.
       */
      effective_from: string | null;
      /**
       * Format: date-time
       * @description End of the effect on it.
       */
      effective_to: string | null;
    };
    /** IssueEvent */
    IssueEvent: {
      /** @description ID of the row. */
      id: string;
      /** @description Issue. */
      issue_id: string;
      /** @description What happened. */
      kind: components["schemas"]["IssueEventKind"];
      /** @description Field that changed. Null if none did. */
      field: string | null;
      /** @description The field's value before, in the same form as in issues, but with a user's ID for the user. */
      previous_value: unknown;
      /** @description The field's value after; for created, the values of all fields. */
      next_value: unknown;
      /** @description Details: the body of a comment, the new work order, the linked alarm, the merged issues. */
      detail: unknown;
      /** @description User who did it. Null if it was not a user. */
      user_id: string | null;
      /**
       * Format: date-time
       * @description When it happened.
       */
      created_at: string;
    };
    /**
     * @description What happened.
     * @enum {string}
     */
    IssueEventKind:
      | "created"
      | "field_changed"
      | "status_changed"
      | "assignee_changed"
      | "priority_changed"
      | "devices_changed"
      | "work_order_added"
      | "alarm_linked"
      | "commented"
      | "merged"
      | "deleted"
      | "conflict";
    IssueMergeBody: {
      /** @description Active issues of the same project. */
      issue_ids: string[];
      /** @description User who acts, by id or e-mail; not needed with a user's own token. Without a user, the action has none. */
      user?: string;
    };
    /**
     * @example {
     *       "status": "resolved",
     *       "priority": "low"
     *     }
     */
    IssuePatchBody: {
      /** @description Name. */
      name?: string;
      /** @description Description. */
      description?: string | null;
      /** @description Priority. */
      priority?: components["schemas"]["Priority"];
      /** @description Assigned user, by id or e-mail; null for none. */
      assigned_to?: string | null;
      /** @description Deployment tag. */
      sentinel_tag?: string | null;
      /** @description ID in the external system. */
      external_id?: string | null;
      /** @description Start of the effect: ISO 8601 with an offset. */
      effective_from?: string | null;
      /** @description End of the effect: ISO 8601 with an offset. */
      effective_to?: string | null;
      /** @description All devices that are affected. */
      devices?: components["schemas"]["IssuePostBodyDevice"][];
      /** @description Its new status, if its state allows it. */
      status?: components["schemas"]["IssueStatus"];
      /** @description User who acts, by id or e-mail; not needed with a user's own token. Without a user, the action has none. */
      user?: string;
    };
    /**
     * @example {
     *       "name": "Cooling fan of INV-07 is loud",
     *       "priority": "medium",
     *       "assigned_to": "anna@example.org",
     *       "devices": [
     *         {
     *           "device_id": "01a1fe38-541b-70ad-b2cb-c9221f098df5"
     *         }
     *       ]
     *     }
     */
    IssuePostBody: {
      /** @description Name. */
      name?: string;
      /** @description Description. */
      description?: string | null;
      /** @description Priority. */
      priority?: components["schemas"]["Priority"];
      /** @description Assigned user, by id or e-mail; null for none. */
      assigned_to?: string | null;
      /** @description Deployment tag. */
      sentinel_tag?: string | null;
      /** @description ID in the external system. */
      external_id?: string | null;
      /** @description Start of the effect: ISO 8601 with an offset. */
      effective_from?: string | null;
      /** @description End of the effect: ISO 8601 with an offset. */
      effective_to?: string | null;
      /** @description All devices that are affected. */
      devices?: components["schemas"]["IssuePostBodyDevice"][];
      /** @description Why it was opened, if not given by from; by default manual. */
      source?: components["schemas"]["IssuePostBodySource"];
      /** @description Opens it from an alarm, a performance drop or unavailable time. Fields that are not given are filled in from there. */
      from?: components["schemas"]["IssuePostBodyFrom"];
      /** @description User who acts, by id or e-mail; not needed with a user's own token. Without a user, the action has none. */
      user?: string;
    };
    IssuePostBodyDevice: {
      /** @description Device of the project, by id or key. */
      device_id: string;
      /** @description Component; by default the type of the device. */
      component?: components["schemas"]["Component"];
      /** @description ISO 8601 with an offset. */
      effective_from?: string | null;
      /** @description ISO 8601 with an offset. */
      effective_to?: string | null;
    };
    /** @description Opens it from an alarm, a performance drop or unavailable time. Fields that are not given are filled in from there. */
    IssuePostBodyFrom: {
      /** @description An alarm occurrence of the project; the issue is linked to it. */
      alarm?: string;
      /** @description A performance drop: measured energy compared with expected energy. */
      performance?: components["schemas"]["IssuePostBodyFromPerformance"];
      /** @description The time that inverters were unavailable. */
      availability?: components["schemas"]["IssuePostBodyFromAvailability"];
    };
    /** @description The time that inverters were unavailable. */
    IssuePostBodyFromAvailability: {
      /** @description Inverters, by their hierarchy_id. */
      hierarchy_ids: string[];
      /** @description Start, inclusive: ISO 8601 with an offset. */
      from: string;
      /** @description End, exclusive: ISO 8601 with an offset. */
      to: string;
    };
    /** @description A performance drop: measured energy compared with expected energy. */
    IssuePostBodyFromPerformance: {
      /** @description Sensors of energy or active power, by their hierarchy_id. */
      hierarchy_ids: string[];
      /** @description Start, inclusive: ISO 8601 with an offset. */
      from: string;
      /** @description End, exclusive: ISO 8601 with an offset. */
      to: string;
    };
    /**
     * @description Why it was opened, if not given by from; by default manual.
     * @enum {string}
     */
    IssuePostBodySource: "manual" | "import";
    /**
     * @description Why the issue was opened.
     * @enum {string}
     */
    IssueSource: "manual" | "alarm" | "performance" | "availability" | "import";
    /** @enum {string} */
    IssueStatus: "open" | "in_progress" | "on_hold" | "resolved" | "closed" | "merged";
    IssueSyncAnswer: {
      /** @constant */
      ok: true;
      /** @description Items that changed something. */
      applied: number;
      /** @description One for each item, in their order. */
      results: components["schemas"]["IssueSyncAnswerResult"][];
      /**
       * @description True if a request with this delivery_id was applied before; this one changed nothing.
       * @constant
       */
      duplicate?: true;
    };
    IssueSyncAnswerResult: {
      /** @description The issue's id in the calling system. */
      external_id: string | null;
      issue_id: string;
      status: components["schemas"]["IssueSyncAnswerResultStatus"];
      /** @description Why the item was not applied: the project has no such issue, there is no such status or priority, the issue's status does not allow it, or the organization has no such active user. */
      reason: components["schemas"]["Reason"] | null;
    };
    /** @enum {string} */
    IssueSyncAnswerResultStatus: "updated" | "unchanged" | "not_found" | "rejected";
    /**
     * @example {
     *       "organization_id": "01a1fe38-541b-70ad-b2cb-c9221f098df5",
     *       "project_id": "01a1fe38-541b-70ad-b2cb-c9221f098df6",
     *       "delivery_id": "cmms-2026-06-01-0001",
     *       "issues": [
     *         {
     *           "issue_id": "01a1fe38-541b-70ad-b2cb-c9221f098df7",
     *           "status": "in_progress",
     *           "assignee": "anna@example.org",
     *           "external_id": "WO-4711"
     *         }
     *       ]
     *     }
     */
    IssueSyncBody: {
      /** @description Organization of the project, by id or key. */
      organization_id: string;
      /** @description Project of the issues, by id or key. */
      project_id: string;
      /** @description Id of the request, unique in the project for all callers. A repeat within 15 minutes changes nothing and gets the same answer. */
      delivery_id: string;
      /** @description The new values of each issue; fields that are left out stay as they are. */
      issues: components["schemas"]["IssueSyncBodyIssue"][];
    };
    IssueSyncBodyIssue: {
      /** @description The issue. */
      issue_id: string;
      /** @description New status: open, in_progress, on_hold, resolved or closed. */
      status?: string;
      /** @description Priority: urgent, high, medium or low. */
      priority?: string;
      /** @description User of the organization, by id or e-mail; null for nobody. */
      assignee?: string | null;
      /** @description The issue's id in the calling system, stored with the issue; null for none. */
      external_id?: string | null;
    };
    /** IssueWorkOrder */
    IssueWorkOrder: {
      /** @description ID. */
      id: string;
      /**
       * Format: int32
       * @description Number within the organization, from 1; issues and work orders are numbered separately.
       */
      number: number;
      /** @description Owning organization. */
      organization_id: string;
      /** @description Project. */
      project_id: string;
      /** @description The project's key. */
      project: components["schemas"]["ProjectKey"];
      /** @description Issue that the work order is under. */
      issue_id: string;
      /** @description Title. */
      title: string;
      /** @description Description. */
      description: string | null;
      /** @description Status; completed and cancelled are final. */
      status: components["schemas"]["WorkOrderStatus"];
      /** @description Priority, the most urgent first. */
      priority: components["schemas"]["Priority"];
      /**
       * Format: date-time
       * @description When the work is due.
       */
      due_date: string | null;
      /** @description Type of work: corrective, preventive, predictive, inspection, emergency, cleaning, vegetation, warranty, upgrade. An open set. */
      work_type: string;
      /** @description External system of the work order. */
      external_system: string | null;
      /** @description ID in the external system. */
      external_id: string | null;
      /** @description Reference in the external system. */
      external_ref: string | null;
      /** @description URL in the external system. */
      external_url: string | null;
      /** @description An object with any keys, stored as it was sent. */
      payload: {
        [key: string]: unknown;
      } | null;
      /** @description Assigned user. Null if there is none. */
      assigned_to: components["schemas"]["User"] | null;
      /** @description The work on each device. */
      devices: components["schemas"]["WorkOrderDevice"][];
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When it last changed; for an issue, also when its work orders changed. updated_since compares against it.
       */
      updated_at: string;
    };
    /**
     * @description Where it is judged: here, by every service that has it, each for itself; gateway, by the gateway of the project alone, whose alarms its centre shows as well; centre, by the centre alone. A service that has neither a gateway nor a centre judges all rules.
     * @default here
     * @enum {string}
     */
    JudgedAt: "here" | "gateway" | "centre";
    JwksAnswer: {
      keys: components["schemas"]["JwksAnswerKey"][];
    };
    JwksAnswerKey: {
      /** @constant */
      kty: "OKP";
      /** @constant */
      crv: "Ed25519";
      /** @description The key's 32 bytes, base64url. */
      x: string;
      /** @description Thumbprint (RFC 7638). */
      kid: string;
      /** @constant */
      use: "sig";
      /** @constant */
      alg: "EdDSA";
    };
    /**
     * @description table: whether a row's time is the start or the end of its interval; end is moved to the start (default: end for TOA5, start for others)
     * @enum {string}
     */
    Label: "start" | "end";
    /** LatestValue */
    LatestValue: {
      sensor_tag: string;
      /** @description Null where no sensor reads the tag. */
      hierarchy_id: string | null;
      component_measure: string | null;
      unit: string | null;
      /** @description Sample time, UTC. */
      ts: string;
      /** @description Null when quality is bad. */
      value: number | string | null;
      /** @description good, uncertain or bad; null if the source has none. */
      quality: string | null;
      /** @description When the service stored it, UTC. */
      received_at: string;
      /** @description Seconds from ts to the answer. */
      age_s: number;
    };
    LinkPostAnswer: {
      id: string;
      name: string;
      /** @description The read; null for a question in SQL. */
      read: string | null;
      /** @description The question; null for a read. */
      query: components["schemas"]["LinkPostAnswerQuery"] | null;
      format: components["schemas"]["SqlQueryBodyFormat"];
      /** @description The token whose rights it has, and with which it ends. */
      token_id: string | null;
      /** @description The user whose rights it has, where no token does. */
      user_id: string | null;
      /** @description ISO 8601, UTC. */
      created_at: string;
      /** @description ISO 8601, UTC. */
      expires_at: string;
      /** @description ISO 8601, UTC; null while nobody removed it. */
      revoked_at: string | null;
      /** @description Whether it can be read now. */
      is_live: boolean;
      /** @description The address, with the link's secret: it is shown only in this answer. */
      url: string;
    };
    LinkPostAnswerQuery: {
      sql: string;
      projects?: string[];
      timezone: string;
    };
    LinkPostBody: {
      /** @description What it is for. */
      name: string;
      /** @description A read of this interface with its parameters: /platform/v1/…?project_id=… */
      read?: string;
      /** @description A question in SQL, as POST /platform/v1/query takes it. */
      query?: components["schemas"]["LinkPostBodyQuery"];
      /** @description Form of the file; by default the one that read names, else csv. */
      format?: components["schemas"]["SqlQueryBodyFormat"];
      /** @description When it ends: an ISO 8601 instant with an offset, 366 days ahead at most; by default in 30 days. */
      expires_at?: string;
    };
    /** @description A question in SQL, as POST /platform/v1/query takes it. */
    LinkPostBodyQuery: {
      /** @description One SELECT over the views of /docs/query. */
      sql: string;
      /** @description Projects, by id or key; left out: all that the token reaches. */
      projects?: string[];
      /**
       * @description IANA zone of days, and of times without an offset.
       * @default UTC
       */
      timezone?: string;
    };
    LinksAnswer: {
      links: components["schemas"]["LinksAnswerLink"][];
    };
    LinksAnswerLink: {
      id: string;
      name: string;
      /** @description The read; null for a question in SQL. */
      read: string | null;
      /** @description The question; null for a read. */
      query: components["schemas"]["LinkPostAnswerQuery"] | null;
      format: components["schemas"]["SqlQueryBodyFormat"];
      /** @description The token whose rights it has, and with which it ends. */
      token_id: string | null;
      /** @description The user whose rights it has, where no token does. */
      user_id: string | null;
      /** @description ISO 8601, UTC. */
      created_at: string;
      /** @description ISO 8601, UTC. */
      expires_at: string;
      /** @description ISO 8601, UTC; null while nobody removed it. */
      revoked_at: string | null;
      /** @description Whether it can be read now. */
      is_live: boolean;
    };
    /**
     * @description What takes energy of the modules without a word of the inverter: it is accounted for in /platform/v1/losses, and changes no state.
     * @enum {string}
     */
    Loss: "snow" | "soiling";
    /** LossRow */
    LossRow: {
      /** @description First day of the bucket in the site's time zone, YYYY-MM-DD. */
      bucket_start: string;
      /** @description Project. Null when group_by lacks project_id. */
      project_id: string | null;
      /** @description Block. Null when group_by lacks block_id. */
      svc_block_id: string | null;
      /** @description Inverter. Null when group_by lacks hierarchy_id. */
      hierarchy_id: string | null;
      /** @description Data stream of the row. */
      sentinel_tag: string;
      /**
       * Format: double
       * @description Energy that the inverters could have produced in daylight from their modules: the model of their power before it is limited to the inverter's rating. Time without a model, or without a measurement of what was produced, is not in any sum. Null when no inverter has an account. Unit: Wh.
       */
      expected_energy: number | null;
      /**
       * Format: double
       * @description Energy that they produced in daylight. Unit: Wh.
       */
      produced_energy: number | null;
      /**
       * Format: double
       * @description Lost while unavailable: the expected energy of the unavailable share of each quarter-hour, at most the missing energy. Unit: Wh.
       */
      unavailability_loss: number | null;
      /**
       * Format: double
       * @description Lost to setpoints while available: the model minus the model with the setpoint. Unit: Wh.
       */
      curtailment_loss: number | null;
      /**
       * Format: double
       * @description Lost to the inverter's rating while available: the energy of the modules above the rating. Unit: Wh.
       */
      clipping_loss: number | null;
      /**
       * Format: double
       * @description Other losses: expected_energy minus all of the above. Grid outages, derating, DC faults, soiling, snow, the error of the model; include=causes splits it. Negative if more was produced than expected. Unit: Wh.
       */
      other_loss: number | null;
      /**
       * Format: int32
       * @description Inverters in the row.
       */
      inverter_count: number;
      /** @description True when an inverter has no account for a day of the bucket because there is no model, or nothing tells what it produced. Such days are not in any sum. */
      is_partial: boolean;
      /**
       * Format: double
       * @description Lost to grid outages. With include=causes. Unit: Wh.
       */
      grid_loss?: number | null;
      /**
       * Format: double
       * @description Lost on the DC side: in DC-side outages, and by strings whose current is far below that of the others of the inverter. With include=causes. Unit: Wh.
       */
      dc_loss?: number | null;
      /**
       * Format: double
       * @description Lost while derated: by the inverter's status, or where it makes less of what is expected than its peers do. With include=causes. Unit: Wh.
       */
      derate_loss?: number | null;
      /**
       * Format: double
       * @description Lost to snow, as declared. With include=causes. Unit: Wh.
       */
      snow_loss?: number | null;
      /**
       * Format: double
       * @description Lost to soiling, as declared. With include=causes. Unit: Wh.
       */
      soiling_loss?: number | null;
      /**
       * Format: double
       * @description other_loss minus the five above: nothing tells why. Negative if more was produced than expected. With include=causes. Unit: Wh.
       */
      unknown_loss?: number | null;
      /**
       * Format: double
       * @description Expected energy of time in which nothing tells what was produced. It is in no other sum. With include=causes. Unit: Wh.
       */
      unmeasured_energy?: number | null;
      /**
       * Format: date-time
       * @description Start of the bucket as an instant, UTC. Null if the row combines time zones in which the bucket starts at different instants. With include=ts_utc.
       */
      ts_utc?: string | null;
    };
    /** LossTimelineRow */
    LossTimelineRow: {
      /** @description Inverter. */
      hierarchy_id: string;
      /** @description The inverter's device. */
      device_id: string;
      /** @description Name of the device. */
      device_name: string;
      /**
       * Format: date-time
       * @description Start of the span, inclusive.
       */
      from: string;
      /**
       * Format: date-time
       * @description End of the span, exclusive.
       */
      to: string;
      /** @description Where the energy went: to which loss, or unmeasured. */
      part: components["schemas"]["Part"];
      /**
       * Format: double
       * @description The energy. Unit: Wh.
       */
      energy: number;
      /** @description Evidence for it: that of the state, or setpoint (a power limit), rating (the inverter's), strings (their currents), declared (by an operator). */
      evidence: components["schemas"]["LossTimelineRowEvidence"];
      /** @description Details of the evidence. Of a setpoint: the tag that limits most, and to what at least. */
      detail: string | null;
    };
    /**
     * @description Evidence for it: that of the state, or setpoint (a power limit), rating (the inverter's), strings (their currents), declared (by an operator).
     * @enum {string}
     */
    LossTimelineRowEvidence:
      | "override"
      | "work_order"
      | "grid"
      | "status"
      | "alarm"
      | "peers"
      | "counter"
      | "power"
      | "none"
      | "setpoint"
      | "rating"
      | "strings"
      | "declared";
    /** @enum {string} */
    LossesInclude: "causes" | "ts_utc";
    /**
     * @default OneDay
     * @enum {string}
     */
    LossesTimeInterval: "OneDay" | "OneWeek" | "OneMonth" | "OneYear" | "Full";
    /** @enum {string} */
    Measure:
      | "ghi"
      | "temp"
      | "poa_front"
      | "poa_rear"
      | "poa_front_satellite"
      | "rh"
      | "windspeed"
      | "soiling"
      | "snow_depth"
      | "albedo"
      | "active_power"
      | "apparent_power"
      | "reactive_power"
      | "active_power_setpoint"
      | "active_power_setpoint_dc_pct"
      | "active_power_setpoint_ac_pct"
      | "dc_current"
      | "dc_voltage"
      | "dc_power"
      | "energy"
      | "energy_setpoint"
      | "tracker_motor_position"
      | "tracker_motor_setpoint"
      | "ghi_insolation"
      | "poa_front_insolation"
      | "poa_rear_insolation"
      | "ppa_revenue"
      | "internal_temp"
      | "reactive_power_setpoint"
      | "frequency"
      | "active_energy_delivered"
      | "active_energy_received"
      | "voltage"
      | "current"
      | "precipitation"
      | "module_temp_back"
      | "operating_status"
      | "dni"
      | "dhi"
      | "power_factor"
      | "stow_status"
      | "oil_temp"
      | "cabinet_temp"
      | "lv_power"
      | "lv_current"
      | "lv_frequency"
      | "lv_voltage"
      | "hv_power"
      | "hv_current"
      | "hv_frequency"
      | "hv_voltage"
      | "soc"
      | "full_pack_energy"
      | "charge_power_available"
      | "discharge_power_available"
      | "max_battery_temp"
      | "ac_current"
      | "ac_current_a"
      | "ac_current_b"
      | "ac_current_c"
      | "ac_voltage"
      | "ac_voltage_a"
      | "ac_voltage_b"
      | "ac_voltage_c"
      | "ac_voltage_an"
      | "ac_voltage_bn"
      | "ac_voltage_cn"
      | "energy_export"
      | "energy_import"
      | "full_battery_energy"
      | "remaining_battery_energy"
      | "dispatchable_charge_power"
      | "dispatchable_discharge_power"
      | "hw_capable_charge_power"
      | "active_power_command_feedback"
      | "nominal_charge_power"
      | "nominal_discharge_power"
      | "active_power_setpoint_local"
      | "active_power_setpoint_remote"
      | "reactive_power_setpoint_local"
      | "reactive_power_setpoint_remote"
      | "voltage_setpoint_local"
      | "voltage_setpoint_remote"
      | "power_factor_setpoint"
      | "ambient_temp"
      | "max_cell_voltage"
      | "min_cell_voltage"
      | "total_current"
      | "total_voltage"
      | "battery_voltage"
      | "bus_voltage"
      | "soh"
      | "min_temp"
      | "mean_temp"
      | "max_temp"
      | "mean_cell_voltage"
      | "min_rack_voltage"
      | "mean_rack_voltage"
      | "max_rack_voltage"
      | "ppa_price"
      | "apparent_energy"
      | "reactive_energy";
    /** MeasureInfo */
    MeasureInfo: {
      name: string;
      /** @description 1 for a number without a unit. */
      unit: string;
      /** @description How the minutes of a bucket become one value. */
      over_time: components["schemas"]["OverTime"];
      /** @description How the sensors of a group become one value. */
      over_sensors: components["schemas"]["OverSensors"];
      note: string | null;
      /** @description Where its expected value comes from if the site does not send it. */
      model: components["schemas"]["Model"];
      /** @description The measure whose expected value is integrated, if model is integral. */
      integral_of: string | null;
    };
    /** @enum {string} */
    MediaType: "image/jpeg" | "image/png" | "image/webp";
    MetaDevicesAnswer: {
      devices: components["schemas"]["MetaDevicesAnswerDevice"][];
      /** @description Those that stand under a site without a device. */
      sensors: components["schemas"]["MetaDevicesAnswerSensor"][];
      blocks: components["schemas"]["MetaDevicesAnswerBlock"][];
    };
    MetaDevicesAnswerBlock: {
      block_id: string;
      site_id: string;
      key: string;
      name: string;
    };
    MetaDevicesAnswerDevice: {
      device_id: string;
      key: string;
      name: string;
      type: string;
      site_id: string;
      /** @description The device above it. */
      parent_id: string | null;
      block_id: string | null;
      /** @description Rated power, W. */
      rated_w: number | null;
      /** @description Power of its modules at standard conditions, W. */
      rated_dc_w: number | null;
      /** @description Energy capacity of storage, Wh. */
      capacity_wh: number | null;
      /** @description Of the sensor that stands for it. */
      hierarchy_id: string | null;
      /** @description How its modules stand, with include=mount; null where that is not declared. */
      mount?:
        | (
          | components["schemas"]["MetaDevicesAnswerDeviceMountFixed"]
          | components["schemas"]["MetaDevicesAnswerDeviceMountTracker"]
        )
        | null;
      sensors: components["schemas"]["MetaDevicesAnswerSensor"][];
    };
    MetaDevicesAnswerDeviceMountFixed: {
      /** @constant */
      kind: "fixed";
      /** @description 0 lies flat, 90 stands upright; degrees. */
      tilt: number;
      /** @description Clockwise from north, degrees. */
      azimuth: number;
    };
    MetaDevicesAnswerDeviceMountTracker: {
      /** @constant */
      kind: "tracker";
      axis_tilt: number;
      axis_azimuth: number;
      /** @description The farthest rotation to both sides, degrees. */
      max_angle: number;
      backtrack: boolean;
      /** @description Module width over row distance, 0 to 1. */
      ground_cover: number;
    };
    MetaDevicesAnswerSensor: {
      hierarchy_id: string;
      site_id: string;
      sensor_tag: string;
      component: string;
      component_measure: string;
      /** @description Unit of the measure; 1 for a number without a unit. */
      unit: string;
      /** @description Unit that the source reports. */
      source_unit: string | null;
      tag_class: string | null;
      /** @description float, integer or string; null until it is declared or the first value comes. */
      value_encoding: string | null;
      sentinel_tag: string;
    };
    MetaPeopleAnswer: {
      people: components["schemas"]["MetaPeopleAnswerPeople"][];
    };
    MetaPeopleAnswerPeople: {
      id: string;
      /** @description First and last name. */
      name: string;
    };
    /**
     * @description Where its expected value comes from if the site does not send it.
     * @enum {string}
     */
    Model: "computed" | "integral" | "sent";
    /**
     * MonthlyReport
     * @description The month, and where its report is.
     */
    MonthlyReport: {
      /** @description Project. */
      project_id: string;
      /** @description The project's key. */
      project: components["schemas"]["ProjectKey"];
      /** @description Its name, the title of the report. */
      name: string;
      /** @description Names of its sites. */
      sites: string[];
      /** @description The month, YYYY-MM, in its time zone. */
      month: string;
      /** @description Its time zone, an IANA name. */
      timezone: string;
      /**
       * Format: date-time
       * @description Start of the month, with its offset.
       */
      from: string;
      /**
       * Format: date-time
       * @description End of the month, which is the start of the next one, with its offset.
       */
      to: string;
      /**
       * Format: double
       * @description Share of the month's daylight minutes of all inverters that has both a measured and an expected value, 0 to 1. Null without such inverters.
       */
      coverage: number | null;
      /** @description Address of the report: at public_url, or else at host and port. Null if neither is set. */
      link: string | null;
    };
    /**
     * @description Comparison of a value with the threshold.
     * @enum {string}
     */
    Operator: ">" | ">=" | "<" | "<=";
    OrganizationsAnswer: {
      organizations: components["schemas"]["OrganizationsAnswerOrganization"][];
    };
    OrganizationsAnswerOrganization: {
      organization_id: string;
      key: string;
      name: string;
    };
    /**
     * @description Where the source is declared and can be changed.
     * @enum {string}
     */
    Origin: "site_file" | "api";
    /**
     * @description under_way: It is being sent. confirmed: The device has the value: it was read back. refused: The device refused it, or took it and has another value. not_sent: Nothing was sent to the device. unconfirmed: It was sent and taken, and what the device has then was not told in time. unknown: It may have been sent, and what the device has could not be read.
     * @enum {string}
     */
    Outcome: "under_way" | "confirmed" | "refused" | "not_sent" | "unconfirmed" | "unknown";
    /**
     * @description How the sensors of a group become one value.
     * @enum {string}
     */
    OverSensors: "sum" | "mean" | "capacity_mean" | "power_mean" | "max" | "min" | "same";
    /**
     * @description How the minutes of a bucket become one value.
     * @enum {string}
     */
    OverTime: "mean" | "time_weighted_mean" | "increment" | "last" | "max" | "min";
    /**
     * @example {
     *       "hierarchy_ids": [
     *         "01a1fe38-541b-70ad-b2cb-c9221f098df5"
     *       ],
     *       "state": "scheduled_maintenance",
     *       "from": "2026-06-01T09:00:00+02:00",
     *       "to": "2026-06-01T11:30:00+02:00",
     *       "reason": "Yearly service: filters and fans"
     *     }
     * @example {
     *       "hierarchy_ids": [
     *         "01a1fe38-541b-70ad-b2cb-c9221f098df5"
     *       ],
     *       "loss": "soiling",
     *       "share": 0.04,
     *       "from": "2026-06-01T00:00:00+02:00",
     *       "to": "2026-06-20T00:00:00+02:00",
     *       "reason": "Measured before the cleaning"
     *     }
     */
    OverridePostBody: {
      /** @description Its inverters, by the hierarchy_id of their power, energy or status. */
      hierarchy_ids: string[];
      /** @description The state to set; or give loss and share. */
      state?: components["schemas"]["Event"];
      /** @description What takes energy of the modules without a word of the inverter: it is accounted for in /platform/v1/losses, and changes no state. */
      loss?: components["schemas"]["Loss"];
      /** @description With loss: how much of the expected energy is lost, 0 to 1. */
      share?: number;
      /** @description Start, inclusive: ISO 8601 with an offset. */
      from: string;
      /** @description End, exclusive: ISO 8601 with an offset. */
      to: string;
      /** @description The reason, for later readers. */
      reason: string;
    };
    /** OwnSession */
    OwnSession: {
      /** @description Who acts; null in the session of a program's token. */
      user: components["schemas"]["SessionUser"] | null;
      /** @description The user's, or the token's. */
      name: string;
      /** @description How it began. */
      via: components["schemas"]["Via"];
      scopes: components["schemas"]["Scope"][];
      /** @description Null: all of them. */
      organization: components["schemas"]["OwnSessionOrganization"] | null;
      /** @description All projects that the session reaches. */
      projects: components["schemas"]["OwnSessionProject"][];
      /** @description When it ends if it is not used again: ISO 8601, UTC. */
      expires_at: string;
      /** @description Whether the service is the demo. */
      demo: boolean;
    };
    OwnSessionOrganization: {
      id: string;
      key: string;
      name: string;
    };
    OwnSessionProject: {
      id: string;
      key: string;
      name: string;
      timezone: string;
    };
    /** @enum {string} */
    Page:
      | "portfolio"
      | "overview"
      | "inverters"
      | "alarms"
      | "work"
      | "trends"
      | "losses"
      | "rules"
      | "health"
      | "report";
    /** @enum {string} */
    Part:
      | "unavailability"
      | "curtailment"
      | "clipping"
      | "grid"
      | "dc"
      | "derate"
      | "snow"
      | "soiling"
      | "unmeasured";
    /** PendingDays */
    PendingDays: {
      project_id: string;
      /**
       * Format: date
       * @description First day that waits, in the time zone of the site.
       */
      first_day: string;
      /**
       * Format: date
       * @description Last day that waits.
       */
      last_day: string;
      /** @description How many days wait, from the first to the last. */
      days: number;
      /** @description How many days of tags (in UTC) are marked; what is marked twice counts twice. */
      tag_days: number;
    };
    /** PerformanceRow */
    PerformanceRow: {
      /** @description Bucket start in the site's time zone, YYYY-MM-DD HH:MM:SS. */
      ts: string;
      /** @description Project. Null when group_by lacks project_id. */
      project_id: string | null;
      /** @description Block. Null when group_by lacks block_id. */
      svc_block_id: string | null;
      /** @description Sensor. Null when group_by lacks hierarchy_id. */
      hierarchy_id: string | null;
      /** @description SCADA sensor tag. Null when group_by lacks hierarchy_id. */
      sensor_tag: string | null;
      /** @description Deployment tag of the row. */
      sentinel_tag: string;
      /** @description Portfolio of the project. Null when it is in none, or when the group's differ. */
      portfolio: string | null;
      /** @description Component of the request. */
      component: string;
      /** @description Measure of the request. */
      component_measure: string;
      /**
       * Format: double
       * @description Measured value aggregated over the bucket. Null without finite samples.
       */
      sensor_value: number | null;
      /**
       * Format: double
       * @description Expected value aggregated over the bucket. 0 when no model covers it.
       */
      model_value: number;
      /**
       * Format: double
       * @description Measured value adjusted for the active setpoint. Null without finite samples.
       */
      sensor_value_setpoint: number | null;
      /**
       * Format: double
       * @description Expected value adjusted for the active setpoint. 0 when no model covers the bucket.
       */
      model_value_setpoint: number;
      /**
       * Format: double
       * @description sensor_value / model_value. Null when model_value is 0 or there is no measured value.
       */
      performance_index: number | null;
      /**
       * Format: double
       * @description sensor_value / model_value_setpoint: curtailment is not underperformance.
       */
      performance_index_setpoint: number | null;
      /**
       * Format: double
       * @description Forecast aggregated over the bucket, within the grid limit, without curtailment. Null if no forecast covers it. With include=forecast.
       */
      forecast_value?: number | null;
      /**
       * Format: date-time
       * @description Issue time of the latest forecast that was issued before the bucket starts. With include=forecast.
       */
      forecast_issued_at?: string | null;
      /**
       * Format: int32
       * @description From that issue to the bucket's start. With include=forecast. Unit: min.
       */
      forecast_lead_time_minutes?: number | null;
      /**
       * Format: double
       * @description Measured value over the minutes that have both a measured and an expected value, without storage. With include=matched.
       */
      sensor_value_matched?: number | null;
      /**
       * Format: double
       * @description Expected value over the same minutes, without storage. Null if there are none. With include=matched.
       */
      model_value_matched?: number | null;
      /**
       * Format: double
       * @description sensor_value_matched / model_value_matched: what is missing on either side does not change it. With include=matched.
       */
      performance_index_matched?: number | null;
      /**
       * Format: double
       * @description The same with the expected value adjusted for the active setpoint. With include=matched.
       */
      performance_index_setpoint_matched?: number | null;
      /**
       * Format: double
       * @description Share of the bucket's daylight minutes of all sensors that is matched, 0 to 1. Null without daylight. With include=matched.
       */
      coverage?: number | null;
      /**
       * Format: double
       * @description Share of the bucket's daylight minutes of all sensors, 0 to 1, whose expected value is computed from another site's weather. Null without daylight. With include=evidence.
       */
      fallback_share?: number | null;
      /**
       * Format: double
       * @description Share of the bucket's time with good data, 0 to 100 (OPC 10000-13 PercentGood). Null before the first sample of all. Unit: %.
       */
      percent_good?: number | null;
      /**
       * Format: double
       * @description Time with good data (DurationGood): from each good sample to the next sample, carry_s of the tag at most. Unit: s.
       */
      duration_good?: number | null;
      /**
       * Format: double
       * @description Time with bad data, or with none (DurationBad). The rest of the bucket is uncertain. Unit: s.
       */
      duration_bad?: number | null;
      /**
       * Format: double
       * @description Least value of the bucket's good samples (Minimum).
       */
      minimum?: number | null;
      /**
       * Format: double
       * @description Greatest value of the bucket's good samples (Maximum).
       */
      maximum?: number | null;
      /**
       * Format: double
       * @description maximum − minimum (Range).
       */
      range?: number | null;
      /**
       * Format: double
       * @description Standard deviation of the bucket's good samples, n − 1 (StandardDeviationSample); 0 of one sample.
       */
      standard_deviation?: number | null;
      /**
       * Format: double
       * @description Value of the bucket's first sample (Start); null when that is bad.
       */
      first?: number | null;
      /**
       * Format: int32
       * @description How often a state (integer, boolean, string) changed in the bucket, bad samples aside (NumberOfTransitions). Null for floats, and when all samples of the bucket are bad.
       */
      number_of_transitions?: number | null;
      /**
       * Format: double
       * @description Mean over time of the value between samples (TimeAverage): floats run in a straight line from a usable sample to the next, states hold. Null for strings.
       */
      time_average?: number | null;
      /**
       * Format: date-time
       * @description Start of the bucket as an instant, UTC. Null if the row combines time zones in which the bucket starts at different instants. With include=ts_utc.
       */
      ts_utc?: string | null;
    };
    /** @enum {string} */
    PerformanceV2Include: "forecast" | "matched" | "evidence" | "stats" | "ts_utc";
    /**
     * @example OneDay
     * @enum {string}
     */
    PerformanceV2TimeInterval:
      | "Full"
      | "OneMinute"
      | "FiveMinutes"
      | "TenMinutes"
      | "FifteenMinutes"
      | "ThirtyMinutes"
      | "OneHour"
      | "OneDay"
      | "OneWeek"
      | "OneMonth"
      | "OneYear";
    /**
     * @description How much goes into a file: what was stored in an hour, or in a day (UTC).
     * @default hour
     * @enum {string}
     */
    Period: "hour" | "day";
    /** Photo */
    Photo: {
      photo_id: string;
      media_type: components["schemas"]["MediaType"];
      /** @description Bytes. */
      size: number;
      /** @description Id of the user who sent it. */
      created_by: string | null;
      /** @description ISO 8601, UTC. */
      created_at: string;
      /** @description Whether its bytes are still to come over the line between a gateway and its centre. */
      to_come: boolean;
    };
    /**
     * @description How they are; not used with security none.
     * @default Basic256Sha256
     * @enum {string}
     */
    Policy: "Basic256Sha256" | "Aes128_Sha256_RsaOaep" | "Aes256_Sha256_RsaPss";
    /**
     * @description Read every every_s (fast) or every slow_s (slow).
     * @default fast
     * @enum {string}
     */
    Poll: "fast" | "slow";
    /**
     * @default ns
     * @enum {string}
     */
    Precision:
      | "ns"
      | "us"
      | "ms"
      | "s"
      | "m"
      | "h"
      | "auto"
      | "n"
      | "u"
      | "µ"
      | "nanosecond"
      | "microsecond"
      | "millisecond"
      | "second";
    /** @enum {string} */
    Priority: "urgent" | "high" | "medium" | "low";
    /** Problem */
    Problem: {
      /** @description Link to the description of this kind of problem. */
      type: string;
      title: string;
      status: number;
      /** @description What is wrong, and what is expected. */
      detail: string;
      /** @description Id of the request, also in x-request-id. */
      instance: string;
      /**
       * Format: date-time
       * @description Of what is no longer kept: from when on there is data.
       */
      available_from?: string;
      /** @description For invalid input: every error and its place. */
      errors?: components["schemas"]["ProblemError"][];
    };
    ProblemError: {
      path: string;
      message: string;
    };
    /**
     * ProjectKey
     * @description The project's key.
     */
    ProjectKey: {
      /** @description Project key. */
      key: string;
    };
    ProjectsAnswer: {
      projects: components["schemas"]["ProjectsAnswerProject"][];
    };
    ProjectsAnswerProject: {
      project_id: string;
      organization_id: string;
      key: string;
      name: string;
      portfolio: string | null;
      /** @description IANA time zone of the project. */
      timezone: string;
      sites: components["schemas"]["ProjectsAnswerProjectSite"][];
    };
    ProjectsAnswerProjectSite: {
      site_id: string;
      key: string;
      name: string;
      /** @description Degrees north. */
      latitude: number;
      /** @description Degrees east. */
      longitude: number;
    };
    PrometheusLabelsAnswer: {
      /** @constant */
      status: "success";
      data: string[];
    };
    PrometheusMetadataAnswer: {
      /** @constant */
      status: "success";
      data: Record<string, never>;
    };
    PrometheusQueryAnswer: {
      /** @constant */
      status: "success";
      data: components["schemas"]["PrometheusQueryAnswerData"];
    };
    PrometheusQueryAnswerData: {
      resultType: components["schemas"]["ResultType"];
      result: unknown[];
    };
    PrometheusQueryError: {
      /** @constant */
      status: "error";
      errorType: string;
      error: string;
    };
    PrometheusQueryFormBody: {
      /** @description The query in PromQL. */
      query?: string;
      /** @description Seconds since 1970, or a date-time with an offset. By default now. */
      time?: string;
      /** @description Not used here. */
      timeout?: string;
      /** @description Not used here. */
      limit?: string;
    };
    PrometheusQueryRangeFormBody: {
      /** @description The query in PromQL. */
      query?: string;
      /** @description Seconds since 1970, or a date-time with an offset. */
      start?: string;
      /** @description Seconds since 1970, or a date-time with an offset. Included. */
      end?: string;
      /** @description Seconds, or a duration such as 5m. */
      step?: string;
      /** @description Not used here. */
      timeout?: string;
      /** @description Not used here. */
      limit?: string;
    };
    PrometheusRulesAnswer: {
      /** @constant */
      status: "success";
      data: components["schemas"]["PrometheusRulesAnswerData"];
    };
    PrometheusRulesAnswerData: {
      groups: unknown[];
    };
    PrometheusSeriesAnswer: {
      /** @constant */
      status: "success";
      data: Record<string, never>[];
    };
    PrometheusSeriesFormBody: {
      /** @description A selector of series; several: what any selects. */
      "match[]"?: string[];
      /** @description Not used here: series are those of all time. */
      start?: string;
      /** @description Not used here. */
      end?: string;
      /** @description Not used here. */
      timeout?: string;
      /** @description Not used here. */
      limit?: string;
    };
    /** PulledSite */
    PulledSite: {
      /** @description The site's key. */
      site: string;
      /** @description The newest version that the gateway knows. */
      version: number;
      /** @description pulled: The gateway has it, and has not tried it yet. trying: It is applied, and the sources have to be read again within the time of a trial. in_force: It is applied, and stays. replaced: It was in force before another one. rolled_back: It was applied, and the file before it came back; it is not tried again by itself. refused: It does not fit the gateway, and nothing of it was applied. */
      state: components["schemas"]["PulledSiteState"];
      /** @description Why it was rolled back or refused. */
      reason: string | null;
      /** @description The version in force; null for a file that was declared at the gateway, or none. */
      in_force: number | null;
      /** @description Who holds newer versions back; null: nobody. */
      held_by: string | null;
      /** @description ISO 8601, UTC. */
      changed_at: string;
      /** @description How long its trial goes on at most. */
      trial_left_s: number | null;
      /** @description What its trial waits for. */
      missing: string | null;
      /** @description Whether the file in force was changed here since it came. */
      changed_here: boolean;
    };
    /**
     * @description pulled: The gateway has it, and has not tried it yet. trying: It is applied, and the sources have to be read again within the time of a trial. in_force: It is applied, and stays. replaced: It was in force before another one. rolled_back: It was applied, and the file before it came back; it is not tried again by itself. refused: It does not fit the gateway, and nothing of it was applied.
     * @enum {string}
     */
    PulledSiteState: "pulled" | "trying" | "in_force" | "replaced" | "rolled_back" | "refused";
    /** PutDestination */
    PutDestination: {
      key: string;
      kind: components["schemas"]["DestinationKind"];
      /** @description Name of the token that it was made with. */
      author: string;
      state: components["schemas"]["DestinationState"];
      /** @description The destination without its secrets, as a body for PUT. */
      definition: {
        [key: string]: unknown;
      };
      /** @description What became of the destination. */
      result: components["schemas"]["PutDestinationResult"];
    };
    /**
     * @description What became of the destination.
     * @enum {string}
     */
    PutDestinationResult: "created" | "updated";
    QueryBody: {
      /** @description One SELECT statement. */
      sql: string;
      /**
       * @description One JSON object a line instead of CSV.
       * @default false
       */
      json?: boolean;
    };
    ReadyzAnswer: {
      /** @enum {string} */
      status: "ok";
    };
    /** @enum {string} */
    Reason:
      | "unknown_issue"
      | "invalid_status"
      | "invalid_transition"
      | "unknown_assignee"
      | "invalid_priority";
    /**
     * @description where values repeat a tag and a time with another value: refuse a file in which over 1 % do, or take the last of each (default: refuse)
     * @enum {string}
     */
    Repeats: "refuse" | "last";
    /**
     * @description When the occurrence ends: auto, when it is cleared; manual, when it is resolved; require_both, when it is both.
     * @enum {string}
     */
    ResolutionPolicy: "auto" | "manual" | "require_both";
    /** @enum {unknown} */
    ResultType: "matrix" | "vector" | "scalar";
    /**
     * @description Which retained messages are taken: those that tell their own time, all, or none.
     * @default timed
     * @enum {string}
     */
    Retained: "timed" | "all" | "none";
    RetentionAnswer: {
      due: components["schemas"]["RetentionAnswerDue"][];
      growth: components["schemas"]["RetentionAnswerGrowth"];
    };
    RetentionAnswerDue: {
      kept: components["schemas"]["RetentionAnswerDueKept"];
      /** @description How many tags lose something. */
      tags: number;
      /** @description YYYY-MM-DD (UTC). */
      from: string;
      /** @description End, exclusive. */
      to: string;
      rows: number;
      /** @description About how much room they take in the database file. */
      bytes: number;
    };
    /** @enum {string} */
    RetentionAnswerDueKept: "samples" | "forecasts" | "minutes" | "quarters";
    RetentionAnswerGrowth: {
      /** @description Null as long as it is not known. */
      bytes_per_day: number | null;
      /** @description YYYY-MM-DD; null: not for decades, or not known. */
      full_on: string | null;
    };
    /** Rule */
    Rule: {
      /** @description The site's key. */
      site: string;
      /** @description The rule's key. */
      key: string;
      /**
       * Format: int32
       * @description Its version, from 1.
       */
      version: number;
      /** @description Where the rule is declared and can be changed. */
      origin: components["schemas"]["Origin"];
      /** @description Name of the token; null: changed on the machine itself. */
      author: string | null;
      /**
       * Format: date-time
       * @description When the version began.
       */
      valid_from: string;
      /**
       * Format: date-time
       * @description When it ended; null while it is in effect.
       */
      valid_to: string | null;
      /** @description Whether this service judges it; else a gateway or the centre does, by its judged_at. */
      is_judged_here: boolean;
      /**
       * Format: int32
       * @description Number of tags it watches now.
       */
      tags_watched: number;
      /** @description Why it is suspended: it failed. It starts again when it is changed or when the service restarts. */
      suspended: string | null;
      /** @description The rule with its defaults, as a body for PUT. */
      definition: {
        [key: string]: unknown;
      };
    };
    RulePutAnswer: {
      /** @description What became of the rule. */
      result: components["schemas"]["RulePutAnswerResult"];
      /** @description The site's key. */
      site: string;
      /** @description The rule's key. */
      key: string;
      /**
       * Format: int32
       * @description Its version, from 1.
       */
      version: number;
      /** @description Where the rule is declared and can be changed. */
      origin: components["schemas"]["Origin"];
      /** @description Name of the token; null: changed on the machine itself. */
      author: string | null;
      /**
       * Format: date-time
       * @description When the version began.
       */
      valid_from: string;
      /**
       * Format: date-time
       * @description When it ended; null while it is in effect.
       */
      valid_to: string | null;
      /** @description Whether this service judges it; else a gateway or the centre does, by its judged_at. */
      is_judged_here: boolean;
      /**
       * Format: int32
       * @description Number of tags it watches now.
       */
      tags_watched: number;
      /** @description Why it is suspended: it failed. It starts again when it is changed or when the service restarts. */
      suspended: string | null;
      /** @description The rule with its defaults, as a body for PUT. */
      definition: {
        [key: string]: unknown;
      };
    };
    /**
     * @description What became of the source.
     * @enum {string}
     */
    RulePutAnswerResult: "created" | "updated" | "unchanged";
    RulePutBodyBitmask: {
      /** @description The rule's key, unique in its site. */
      key?: string;
      /** @description Its name; its alarms have the same name. */
      name: string;
      /** @description What operators should know about it. */
      description?: string;
      /** @constant */
      kind: "bitmask";
      /** @description The bits that it watches: a number, a list of bits, or 0x text. */
      mask: number | number[] | string;
      /**
       * @description Names of bits, by bit; 0 is the lowest.
       * @example {}
       */
      labels?: {
        [key: string]: string;
      };
      /** @description What it watches: the tag with this name. With {device} in it: the tag of each device of device_model, component or device; {device} stands for the key of the device. */
      tag?: string;
      /** @description Or: the sensors of this measure, in its unit, of the same devices. */
      measure?: components["schemas"]["Measure"];
      /**
       * @description Or: the event words of the same devices.
       * @constant
       */
      event_word?: true;
      /** @description The devices of this device model. */
      device_model?: string;
      /** @description The devices of this type; with measure: the sensors of this component. */
      component?: components["schemas"]["Component"];
      /** @description The device with this key. */
      device?: string;
      /**
       * @description Severity of its alarms: critical, high, medium, low, info, or another name.
       * @default medium
       */
      severity?: string;
      /** @description Class of its alarms, such as comms, grid, trip, fault, performance. */
      alarm_class?: string;
      /**
       * @description Whether its alarms are relevant to NERC compliance.
       * @default false
       */
      is_nerc?: boolean;
      /**
       * @description When its alarms end: auto, when the condition is gone; manual, when an operator resolves them; require_both, when both have happened.
       * @default auto
       */
      resolution_policy?: components["schemas"]["ResolutionPolicy"];
      /**
       * @description How long the condition must be present before an alarm is raised, in seconds.
       * @default 0
       */
      on_delay_s?: number;
      /**
       * @description How long the condition must be gone before the alarm is cleared, in seconds.
       * @default 0
       */
      off_delay_s?: number;
      /**
       * @description Where it is judged: here, by every service that has it, each for itself; gateway, by the gateway of the project alone, whose alarms its centre shows as well; centre, by the centre alone. A service that has neither a gateway nor a centre judges all rules.
       * @default here
       */
      judged_at?: components["schemas"]["JudgedAt"];
      /**
       * @description Whether the rule is active.
       * @default true
       */
      enabled?: boolean;
    };
    RulePutBodyDeviation: {
      /** @description The rule's key, unique in its site. */
      key?: string;
      /** @description Its name; its alarms have the same name. */
      name: string;
      /** @description What operators should know about it. */
      description?: string;
      /** @constant */
      kind: "deviation";
      /** @description Where the expected value comes from: the model, or the median of the peers. */
      from: components["schemas"]["From"];
      /** @default below */
      side?: components["schemas"]["Side"];
      /** @description Percent of the expected value. */
      limit_pct: number;
      /**
       * @description If the expected value is below this, the rule is not evaluated; in the unit of the measure, the mean of the minutes of span_minutes.
       * @default 0
       */
      min_expected?: number;
      /**
       * @description At each minute, the sums of this many minutes up to it are compared. Only the minutes that have both values count; if they fill less than half of this time, the rule is not evaluated.
       * @default 1
       */
      span_minutes?: number;
      /** @description What it watches: the tag with this name. With {device} in it: the tag of each device of device_model, component or device; {device} stands for the key of the device. */
      tag?: string;
      /** @description Or: the sensors of this measure, in its unit, of the same devices. */
      measure?: components["schemas"]["Measure"];
      /**
       * @description Or: the event words of the same devices.
       * @constant
       */
      event_word?: true;
      /** @description The devices of this device model. */
      device_model?: string;
      /** @description The devices of this type; with measure: the sensors of this component. */
      component?: components["schemas"]["Component"];
      /** @description The device with this key. */
      device?: string;
      /**
       * @description Severity of its alarms: critical, high, medium, low, info, or another name.
       * @default medium
       */
      severity?: string;
      /** @description Class of its alarms, such as comms, grid, trip, fault, performance. */
      alarm_class?: string;
      /**
       * @description Whether its alarms are relevant to NERC compliance.
       * @default false
       */
      is_nerc?: boolean;
      /**
       * @description When its alarms end: auto, when the condition is gone; manual, when an operator resolves them; require_both, when both have happened.
       * @default auto
       */
      resolution_policy?: components["schemas"]["ResolutionPolicy"];
      /**
       * @description How long the condition must be present before an alarm is raised, in seconds.
       * @default 0
       */
      on_delay_s?: number;
      /**
       * @description How long the condition must be gone before the alarm is cleared, in seconds.
       * @default 0
       */
      off_delay_s?: number;
      /**
       * @description Where it is judged: here, by every service that has it, each for itself; gateway, by the gateway of the project alone, whose alarms its centre shows as well; centre, by the centre alone. A service that has neither a gateway nor a centre judges all rules.
       * @default here
       */
      judged_at?: components["schemas"]["JudgedAt"];
      /**
       * @description Whether the rule is active.
       * @default true
       */
      enabled?: boolean;
    };
    RulePutBodyEnum: {
      /** @description The rule's key, unique in its site. */
      key?: string;
      /** @description Its name; its alarms have the same name. */
      name: string;
      /** @description What operators should know about it. */
      description?: string;
      /** @constant */
      kind: "enum";
      /** @description The codes that it watches. */
      codes?: number[];
      /**
       * @description Instead of codes: every code except 0; each is an alarm point of its device model's list.
       * @constant
       */
      points?: true;
      /**
       * @description Names of codes, by code.
       * @example {}
       */
      labels?: {
        [key: string]: string;
      };
      /** @description What it watches: the tag with this name. With {device} in it: the tag of each device of device_model, component or device; {device} stands for the key of the device. */
      tag?: string;
      /** @description Or: the sensors of this measure, in its unit, of the same devices. */
      measure?: components["schemas"]["Measure"];
      /**
       * @description Or: the event words of the same devices.
       * @constant
       */
      event_word?: true;
      /** @description The devices of this device model. */
      device_model?: string;
      /** @description The devices of this type; with measure: the sensors of this component. */
      component?: components["schemas"]["Component"];
      /** @description The device with this key. */
      device?: string;
      /**
       * @description Severity of its alarms: critical, high, medium, low, info, or another name.
       * @default medium
       */
      severity?: string;
      /** @description Class of its alarms, such as comms, grid, trip, fault, performance. */
      alarm_class?: string;
      /**
       * @description Whether its alarms are relevant to NERC compliance.
       * @default false
       */
      is_nerc?: boolean;
      /**
       * @description When its alarms end: auto, when the condition is gone; manual, when an operator resolves them; require_both, when both have happened.
       * @default auto
       */
      resolution_policy?: components["schemas"]["ResolutionPolicy"];
      /**
       * @description How long the condition must be present before an alarm is raised, in seconds.
       * @default 0
       */
      on_delay_s?: number;
      /**
       * @description How long the condition must be gone before the alarm is cleared, in seconds.
       * @default 0
       */
      off_delay_s?: number;
      /**
       * @description Where it is judged: here, by every service that has it, each for itself; gateway, by the gateway of the project alone, whose alarms its centre shows as well; centre, by the centre alone. A service that has neither a gateway nor a centre judges all rules.
       * @default here
       */
      judged_at?: components["schemas"]["JudgedAt"];
      /**
       * @description Whether the rule is active.
       * @default true
       */
      enabled?: boolean;
    };
    RulePutBodyOutside: {
      /** @description The rule's key, unique in its site. */
      key?: string;
      /** @description Its name; its alarms have the same name. */
      name: string;
      /** @description What operators should know about it. */
      description?: string;
      /** @constant */
      kind: "outside";
      /** @description The lower limit of the band, in the measure's unit, or the source's where it names a tag. */
      low: number;
      /** @description The upper limit of the band, in the same unit. */
      high: number;
      /**
       * @description How far within both limits the value must be for the condition to be gone.
       * @default 0
       */
      deadband?: number;
      /** @description What it watches: the tag with this name. With {device} in it: the tag of each device of device_model, component or device; {device} stands for the key of the device. */
      tag?: string;
      /** @description Or: the sensors of this measure, in its unit, of the same devices. */
      measure?: components["schemas"]["Measure"];
      /**
       * @description Or: the event words of the same devices.
       * @constant
       */
      event_word?: true;
      /** @description The devices of this device model. */
      device_model?: string;
      /** @description The devices of this type; with measure: the sensors of this component. */
      component?: components["schemas"]["Component"];
      /** @description The device with this key. */
      device?: string;
      /**
       * @description Severity of its alarms: critical, high, medium, low, info, or another name.
       * @default medium
       */
      severity?: string;
      /** @description Class of its alarms, such as comms, grid, trip, fault, performance. */
      alarm_class?: string;
      /**
       * @description Whether its alarms are relevant to NERC compliance.
       * @default false
       */
      is_nerc?: boolean;
      /**
       * @description When its alarms end: auto, when the condition is gone; manual, when an operator resolves them; require_both, when both have happened.
       * @default auto
       */
      resolution_policy?: components["schemas"]["ResolutionPolicy"];
      /**
       * @description How long the condition must be present before an alarm is raised, in seconds.
       * @default 0
       */
      on_delay_s?: number;
      /**
       * @description How long the condition must be gone before the alarm is cleared, in seconds.
       * @default 0
       */
      off_delay_s?: number;
      /**
       * @description Where it is judged: here, by every service that has it, each for itself; gateway, by the gateway of the project alone, whose alarms its centre shows as well; centre, by the centre alone. A service that has neither a gateway nor a centre judges all rules.
       * @default here
       */
      judged_at?: components["schemas"]["JudgedAt"];
      /**
       * @description Whether the rule is active.
       * @default true
       */
      enabled?: boolean;
    };
    RulePutBodyRateOfChange: {
      /** @description The rule's key, unique in its site. */
      key?: string;
      /** @description Its name; its alarms have the same name. */
      name: string;
      /** @description What operators should know about it. */
      description?: string;
      /** @constant */
      kind: "rate_of_change";
      /** @default both */
      direction?: components["schemas"]["Direction"];
      /** @description Limit of the change per minute. */
      limit_per_min: number;
      /**
       * @description Shortest time between the compared values, in seconds.
       * @default 60
       */
      over_s?: number;
      /** @description What it watches: the tag with this name. With {device} in it: the tag of each device of device_model, component or device; {device} stands for the key of the device. */
      tag?: string;
      /** @description Or: the sensors of this measure, in its unit, of the same devices. */
      measure?: components["schemas"]["Measure"];
      /**
       * @description Or: the event words of the same devices.
       * @constant
       */
      event_word?: true;
      /** @description The devices of this device model. */
      device_model?: string;
      /** @description The devices of this type; with measure: the sensors of this component. */
      component?: components["schemas"]["Component"];
      /** @description The device with this key. */
      device?: string;
      /**
       * @description Severity of its alarms: critical, high, medium, low, info, or another name.
       * @default medium
       */
      severity?: string;
      /** @description Class of its alarms, such as comms, grid, trip, fault, performance. */
      alarm_class?: string;
      /**
       * @description Whether its alarms are relevant to NERC compliance.
       * @default false
       */
      is_nerc?: boolean;
      /**
       * @description When its alarms end: auto, when the condition is gone; manual, when an operator resolves them; require_both, when both have happened.
       * @default auto
       */
      resolution_policy?: components["schemas"]["ResolutionPolicy"];
      /**
       * @description How long the condition must be present before an alarm is raised, in seconds.
       * @default 0
       */
      on_delay_s?: number;
      /**
       * @description How long the condition must be gone before the alarm is cleared, in seconds.
       * @default 0
       */
      off_delay_s?: number;
      /**
       * @description Where it is judged: here, by every service that has it, each for itself; gateway, by the gateway of the project alone, whose alarms its centre shows as well; centre, by the centre alone. A service that has neither a gateway nor a centre judges all rules.
       * @default here
       */
      judged_at?: components["schemas"]["JudgedAt"];
      /**
       * @description Whether the rule is active.
       * @default true
       */
      enabled?: boolean;
    };
    RulePutBodyStale: {
      /** @description The rule's key, unique in its site. */
      key?: string;
      /** @description Its name; its alarms have the same name. */
      name: string;
      /** @description What operators should know about it. */
      description?: string;
      /** @constant */
      kind: "stale";
      /** @description Longest time without a value, in seconds; for a tag that never sent one, counted from when the rule began to watch it. */
      max_age_s: number;
      /** @description What it watches: the tag with this name. With {device} in it: the tag of each device of device_model, component or device; {device} stands for the key of the device. */
      tag?: string;
      /** @description Or: the sensors of this measure, in its unit, of the same devices. */
      measure?: components["schemas"]["Measure"];
      /**
       * @description Or: the event words of the same devices.
       * @constant
       */
      event_word?: true;
      /** @description The devices of this device model. */
      device_model?: string;
      /** @description The devices of this type; with measure: the sensors of this component. */
      component?: components["schemas"]["Component"];
      /** @description The device with this key. */
      device?: string;
      /**
       * @description Severity of its alarms: critical, high, medium, low, info, or another name.
       * @default medium
       */
      severity?: string;
      /** @description Class of its alarms, such as comms, grid, trip, fault, performance. */
      alarm_class?: string;
      /**
       * @description Whether its alarms are relevant to NERC compliance.
       * @default false
       */
      is_nerc?: boolean;
      /**
       * @description When its alarms end: auto, when the condition is gone; manual, when an operator resolves them; require_both, when both have happened.
       * @default auto
       */
      resolution_policy?: components["schemas"]["ResolutionPolicy"];
      /**
       * @description How long the condition must be present before an alarm is raised, in seconds.
       * @default 0
       */
      on_delay_s?: number;
      /**
       * @description How long the condition must be gone before the alarm is cleared, in seconds.
       * @default 0
       */
      off_delay_s?: number;
      /**
       * @description Where it is judged: here, by every service that has it, each for itself; gateway, by the gateway of the project alone, whose alarms its centre shows as well; centre, by the centre alone. A service that has neither a gateway nor a centre judges all rules.
       * @default here
       */
      judged_at?: components["schemas"]["JudgedAt"];
      /**
       * @description Whether the rule is active.
       * @default true
       */
      enabled?: boolean;
    };
    RulePutBodyThreshold: {
      /** @description The rule's key, unique in its site. */
      key?: string;
      /** @description Its name; its alarms have the same name. */
      name: string;
      /** @description What operators should know about it. */
      description?: string;
      /** @constant */
      kind: "threshold";
      /** @description Comparison of a value with the threshold. */
      operator: components["schemas"]["Operator"];
      /** @description In the unit of the measure, or in the source's unit if the rule names a tag. */
      threshold: number;
      /**
       * @description How far the value must return past the threshold before the condition is gone.
       * @default 0
       */
      deadband?: number;
      /** @description What it watches: the tag with this name. With {device} in it: the tag of each device of device_model, component or device; {device} stands for the key of the device. */
      tag?: string;
      /** @description Or: the sensors of this measure, in its unit, of the same devices. */
      measure?: components["schemas"]["Measure"];
      /**
       * @description Or: the event words of the same devices.
       * @constant
       */
      event_word?: true;
      /** @description The devices of this device model. */
      device_model?: string;
      /** @description The devices of this type; with measure: the sensors of this component. */
      component?: components["schemas"]["Component"];
      /** @description The device with this key. */
      device?: string;
      /**
       * @description Severity of its alarms: critical, high, medium, low, info, or another name.
       * @default medium
       */
      severity?: string;
      /** @description Class of its alarms, such as comms, grid, trip, fault, performance. */
      alarm_class?: string;
      /**
       * @description Whether its alarms are relevant to NERC compliance.
       * @default false
       */
      is_nerc?: boolean;
      /**
       * @description When its alarms end: auto, when the condition is gone; manual, when an operator resolves them; require_both, when both have happened.
       * @default auto
       */
      resolution_policy?: components["schemas"]["ResolutionPolicy"];
      /**
       * @description How long the condition must be present before an alarm is raised, in seconds.
       * @default 0
       */
      on_delay_s?: number;
      /**
       * @description How long the condition must be gone before the alarm is cleared, in seconds.
       * @default 0
       */
      off_delay_s?: number;
      /**
       * @description Where it is judged: here, by every service that has it, each for itself; gateway, by the gateway of the project alone, whose alarms its centre shows as well; centre, by the centre alone. A service that has neither a gateway nor a centre judges all rules.
       * @default here
       */
      judged_at?: components["schemas"]["JudgedAt"];
      /**
       * @description Whether the rule is active.
       * @default true
       */
      enabled?: boolean;
    };
    RuleTestAnswer: {
      /** @description The site's key. */
      site: string;
      /** @description ISO 8601, UTC. */
      from: string;
      /** @description The requested end, or now. */
      to: string;
      /** @description Samples and minutes that were evaluated. */
      samples: number;
      /** @description In the order of the request. */
      rules: components["schemas"]["RuleTestAnswerRule"][];
    };
    RuleTestAnswerRule: {
      key: string;
      name: string;
      kind: string;
      tags_watched: number;
      /** @description Watched tags without a sample in the range. */
      tags_silent: number;
      /** @description Alarms raised within the range. */
      raised: number;
      /** @description Total time with an active alarm in the range, in seconds. */
      standing_s: number;
      /** @description Number of alarms that are marked as chattering. */
      chattering: number;
      /** @description Tags with an alarm, the most alarms first. */
      tags: components["schemas"]["RuleTestAnswerRuleTag"][];
      /** @description Number of tags with an alarm; not all of them may be listed. */
      tags_alarmed: number;
    };
    RuleTestAnswerRuleTag: {
      source_tag: string;
      device_key: string | null;
      measure: string | null;
      /** @description Alarms raised within the range. */
      raised: number;
      /** @description Total time with an active alarm in the range, in seconds. */
      standing_s: number;
      /** @description Number of alarms that are marked as chattering. */
      chattering: number;
      /** @description Whether an alarm is active at the end of the range. */
      standing: boolean;
      /** @description Those that overlap the range, the first 100 at most. */
      occurrences: components["schemas"]["RuleTestAnswerRuleTagOccurrence"][];
      occurrences_total: number;
    };
    RuleTestAnswerRuleTagOccurrence: {
      /** @description ISO 8601, UTC. */
      raised_at: string;
      /** @description Null: it is active at the end of the range. */
      cleared_at: string | null;
      /** @description Start of the condition. */
      source_ts: string | null;
      raised_value: number;
      peak_value: number | null;
      /** @description ISO 8601, UTC. */
      peak_at: string | null;
      recovered_value: number | null;
      decoded_labels: string[];
      point_key: string | null;
    };
    RuleTestBody: {
      /** @description Rules as PUT takes them, each with its key. */
      rules: {
        [key: string]: unknown;
      }[];
    };
    /** Sample */
    Sample: {
      /** @description Also as sensor_tag. */
      tag: string;
      /**
       * Format: date-time
       * @description With an offset; microseconds at most.
       */
      ts: string;
      /** @description A number is a float, a boolean an integer of 0 or 1, a text a string. */
      value?: number | boolean | string | null;
      /** @description An exact Int64. */
      value_int?: number | string | null;
      value_str?: string | null;
      quality?: components["schemas"]["SampleQuality"] | null;
      /** @description OPC UA status code; its two highest bits are the quality. */
      status_code?: number | null;
      /**
       * Format: date-time
       * @description With lane=forecast only.
       */
      issued_at?: string;
    };
    /** @enum {unknown} */
    SampleQuality: "good" | "uncertain" | "bad";
    /** @enum {string} */
    Scope: "read" | "ingest" | "operate" | "manage" | "sync" | "query" | "admin";
    /**
     * @description Whether messages are signed, and encrypted. none: anybody on the way reads them.
     * @default sign_and_encrypt
     * @enum {string}
     */
    Security: "none" | "sign" | "sign_and_encrypt";
    /** @enum {string} */
    SensorHealthState: "ahead" | "silent" | "stuck" | "dead";
    /** SentAlarm */
    SentAlarm: {
      /** @description Stable ID that the source system gave. With event_id it is the key of events. */
      occurrence_id: string;
      /** @description Source system and site that sent the alarm; wattkeeper:SITE if a rule of the service raised it. */
      source: string;
      /** @description Key or id of a site; not needed if the project has only one. */
      site?: string | null;
      /** @description Name of the rule that raised the alarm. */
      rule_name: string;
      /** @description Version of the rule that raised the alarm. */
      rule_version?: number | null;
      /** @description Type of the rule that raised the alarm, such as threshold or stale. An open set. */
      kind: string;
      /** @description Severity of the rule: critical, high, medium, low, info. An open set. */
      severity: string;
      /** @description A source without a queue leaves it out; then the status here does not change. */
      status?: components["schemas"]["AlarmsStatus"];
      /** @description When the occurrence ends: auto, when it is cleared; manual, when it is resolved; require_both, when it is both. */
      resolution_policy: components["schemas"]["ResolutionPolicy"];
      /** @description The operator's note. Null until the occurrence is resolved. */
      resolution?: string | null;
      /**
       * Format: date-time
       * @description When the alarm was raised.
       */
      raised_at: string;
      /**
       * Format: date-time
       * @description Time of the sample that raised the alarm.
       */
      source_ts?: string | null;
      /**
       * Format: date-time
       * @description When the occurrence last changed in its source. Of several snapshots the latest one counts.
       */
      updated_at: string;
      /**
       * Format: date-time
       * @description When the condition was gone. Null while it is present.
       */
      cleared_at?: string | null;
      /** @description Value that raised the alarm; for a stale alarm the age in seconds. */
      raised_value: number;
      /** @description Most recent value of the tag. */
      last_value?: number | null;
      /** @description Value furthest beyond the rule's limit while the condition was present. */
      peak_value?: number | null;
      /**
       * Format: date-time
       * @description Time of peak_value.
       */
      peak_at?: string | null;
      /** @description Value when the condition was gone. Null until then. */
      recovered_value?: number | null;
      /** @description Tag of the alarm. While device_id is null, group alarms by tag and site. */
      source_tag: string;
      /** @description Measure that the tag reports. */
      measure?: string | null;
      /** @description Description of the rule. */
      rule_description?: string | null;
      /**
       * @description Labels of the alarm: of each set bit of a bitmask rule, of the code of an enum rule, or of an alarm point (from its device model's list, otherwise its identifier).
       * @default []
       */
      decoded_labels?: string[];
      /** @description Identifier of an alarm point, such as Error-17. It stays when the label changes. Null for other alarms. */
      point_key?: string | null;
      /** @description Class of the alarm, such as fire, comms or trip. An open set. Null if it has none. */
      alarm_class?: string | null;
      /**
       * @description Whether the alarm is relevant to NERC compliance, by its alarm point or its rule.
       * @default false
       */
      is_nerc?: boolean;
      /** @description The rule's limits when it raised the alarm; the keys depend on kind (see /docs/alarms). Left out if there are none. */
      params?: unknown;
      /** @description Events of the alarm's life, oldest first; in lists only the newest 50. */
      events?: components["schemas"]["SentAlarmEvent"][];
      /** @description The service's own field: ignored. */
      svc_occurrence_ref?: unknown;
      /** @description The service's own field: ignored. */
      synced_at?: unknown;
      /** @description The service's own field: ignored. */
      organization_id?: unknown;
      /** @description The service's own field: ignored. */
      project_id?: unknown;
      /** @description The service's own field: ignored. */
      device_id?: unknown;
      /** @description The service's own field: ignored. */
      device_name?: unknown;
      /** @description The service's own field: ignored. */
      device_type?: unknown;
      /** @description The service's own field: ignored. */
      judged_at?: unknown;
      /** @description The service's own field: ignored. */
      gateway?: unknown;
      /** @description The service's own field: ignored. */
      parent_device_id?: unknown;
      /** @description The service's own field: ignored. */
      events_total?: unknown;
      /** @description The service's own field: ignored. */
      events_truncated?: unknown;
    };
    SentAlarmEvent: {
      event_id: string;
      occurrence_id?: string;
      type: string;
      /** @default source */
      kind?: string;
      /** Format: date-time */
      created_at: string;
      body?: string | null;
      user_id?: string | null;
      user_email?: string | null;
      external_user_id?: string | null;
      detail?: unknown;
      /** @description The service's own field: ignored. */
      svc_occurrence_ref?: unknown;
      /** @description The service's own field: ignored. */
      synced_at?: unknown;
    };
    /** SentEvent */
    SentEvent: {
      /** @description Event ID. With occurrence_id it is the deduplication key. */
      event_id: string;
      /** @description Occurrence that the event belongs to. */
      occurrence_id: string;
      /** @description One of raised, claimed, released, shelved, unshelved, resolved, reopened, cleared, reraised, commented, device_mapped, source_updated, not_applied; or a source system's own value. */
      type: string;
      /**
       * @description One of lifecycle, operator, system, source; or a source system's own value.
       * @default source
       */
      kind?: string;
      /**
       * Format: date-time
       * @description When the event happened.
       */
      created_at: string;
      /** @description Text of the event: a note, a reason. */
      body?: string | null;
      /** @description User who caused the event. Null if nobody did, or a token without a user. */
      user_id?: string | null;
      /** @description E-mail address of that user, or of the source system's; personal data. */
      user_email?: string | null;
      /** @description User ID in the source system. */
      external_user_id?: string | null;
      /** @description More about the event, in free form: what changed, why, until when. */
      detail?: unknown;
      /** @description The service's own field: ignored. */
      svc_occurrence_ref?: unknown;
      /** @description The service's own field: ignored. */
      synced_at?: unknown;
    };
    /** Session */
    Session: {
      id: string;
      /** @description Who acts; null in the session of a program's token. */
      user: components["schemas"]["SessionUser"] | null;
      /** @description Null in the session of a user. */
      token_id: string | null;
      /** @description The user's, or the token's. */
      name: string;
      /** @description How it began. */
      via: components["schemas"]["Via"];
      /** @description ISO 8601, UTC. */
      created_at: string;
      /** @description ISO 8601, UTC. */
      last_used_at: string;
      /** @description When it ends if it is not used again: ISO 8601, UTC. */
      expires_at: string;
      /** @description Where it began, if that is known. */
      address: string | null;
      /** @description Whether it is the session that asks. */
      own: boolean;
    };
    SessionDeleteAnswer: {
      /** @description False: nobody was. */
      signed_out: boolean;
    };
    SessionPasswordBody: {
      /** @description The new password. */
      password: string;
      /** @description The password until now; not needed in a session that began with a link. */
      current?: string;
    };
    SessionPostBodyDemo: {
      /** @constant */
      demo: true;
    };
    SessionPostBodyEmail: {
      email: string;
      password: string;
      /** @description By id or key, where several have this address. */
      organization?: string;
    };
    SessionPostBodyLink: {
      link: string;
    };
    SessionPostBodyToken: {
      token: string;
    };
    SessionUser: {
      id: string;
      name: string;
      email: string;
    };
    SessionWaysAnswer: {
      /**
       * @description An access token.
       * @constant
       */
      token: true;
      /** @description E-mail address and password. */
      password: boolean;
      /** @description A provider of OpenID Connect, at `/platform/v1/session/oidc`. */
      oidc: components["schemas"]["BackupPostAnswer"] | null;
      /** @description A passkey. */
      passkey: boolean;
      /** @description The demo's user, without a secret, for this very browser. */
      demo: boolean;
    };
    SessionsAnswer: {
      sessions: components["schemas"]["Session"][];
    };
    /** SetAside */
    SetAside: {
      tag: string;
      lane: components["schemas"]["SetAsideLane"];
      rows: number;
      /** @description ISO 8601, UTC. */
      first_ts: string;
      /** @description ISO 8601, UTC. */
      last_ts: string;
      /** @description What the centre says of the last of them. */
      reason: string;
      /** @description ISO 8601, UTC. */
      changed_at: string;
    };
    /**
     * @default signal
     * @enum {string}
     */
    SetAsideLane: "signal" | "model" | "forecast";
    /** Setpoint */
    Setpoint: {
      /** @description Key of the site. */
      site: string;
      /** @description Key of the source that writes. */
      source: string;
      /** @description The device; its commands go one after the other. */
      device: string;
      tag: string;
      /** @description Whether the setting setpoints is on, and this service reads the source. */
      can_be_sent: boolean;
      /** @description As the source declares them. */
      limits: {
        [key: string]: unknown;
      };
    };
    /** SetpointCommand */
    SetpointCommand: {
      id: string;
      /** @description The key that it was sent with. */
      key: string;
      /** @description Key of the site; null for one that is gone. */
      site: string | null;
      source: string;
      device: string;
      tag: string;
      /** @description What was to be sent. */
      value: number;
      unit: string;
      note: string | null;
      /** @description What the device had before; null: not known. */
      before: number | null;
      /** @description What it has after; null: not known. */
      after: number | null;
      /** @description under_way: It is being sent. confirmed: The device has the value: it was read back. refused: The device refused it, or took it and has another value. not_sent: Nothing was sent to the device. unconfirmed: It was sent and taken, and what the device has then was not told in time. unknown: It may have been sent, and what the device has could not be read. */
      outcome: components["schemas"]["Outcome"];
      /** @description Why it did not end as it should. */
      reason: string | null;
      /** @description Name of the token, or of the user who was signed in. */
      author: string;
      user_id: string | null;
      asked_at: string;
      ended_at: string | null;
    };
    SetpointSendBody: {
      /** @description Name of the setpoint's tag. */
      tag: string;
      /** @description The value, a number within the setpoint's limits. */
      value: number;
      /** @description The unit that the value is in: the one that the setpoint declares. */
      unit: string;
      /** @description A text of your own that no other command has: asked again with it, the command is not sent again, and the answer is how it ended. */
      key: string;
      /** @description Why, for the log. */
      note?: string;
    };
    /**
     * @default below
     * @enum {string}
     */
    Side: "below" | "above" | "both";
    /** SignalRow */
    SignalRow: {
      /** @description raw_signal: every tag as sent. performance: tags mapped to a device, scaled. */
      lane: components["schemas"]["SignalsLane"];
      /** @description Source system's tag. */
      sensor_tag: string;
      /** @description Row of the tag in the project's site hierarchy. Null on raw_signal rows. */
      hierarchy_id: string | null;
      /** @description Service device of the tag. Null on raw_signal rows; '' where the tag sits under the site root. */
      device_id: string | null;
      /** @description Source system's key for the device. Null when the site sent none for the tag. */
      device_key: string | null;
      /** @description Source system's device name. Null likewise. */
      device_name: string | null;
      /** @description Class of the tag, for example alarms or measurement. Open set. */
      tag_class: string | null;
      /** @description Which column holds the value: value, value_int or value_str. */
      value_encoding: components["schemas"]["Encoding"];
      /** @description Unit of value: the source's on raw_signal, the measure's on performance rows. */
      unit: string | null;
      /** @description raw: samples at the source's rate. 1m: one value a minute. interpolated: the value at an instant, with at or every. */
      resolution: components["schemas"]["SignalRowResolution"];
      /**
       * Format: date-time
       * @description Sample time at the source (OPC UA SourceTimestamp), UTC. On 1m rows the minute's start.
       */
      ts: string;
      /**
       * Format: date-time
       * @description When the service stored the row. received_since compares against it. Of an interpolated row when the later of its samples was stored, or the time of the answer if it has none.
       */
      received_at: string;
      /**
       * Format: date-time
       * @description OPC UA ServerTimestamp. Always null for now.
       */
      server_ts: string | null;
      /**
       * Format: double
       * @description Float value in unit. Null for other encodings and when quality is bad.
       */
      value: number | null;
      /**
       * Format: double
       * @description Float value as sent, in the source's unit. Equals value on raw_signal rows.
       */
      raw_value: number | null;
      /**
       * Format: int64
       * @description Exact value of an integer tag; booleans are 0 or 1. Null otherwise, and when bad.
       */
      value_int: number | null;
      /** @description Value of a string tag. Null otherwise, and when bad. */
      value_str: string | null;
      /** @description OPC UA quality class; partial: some of the minute's samples were bad. Null when the source reports none. */
      quality: components["schemas"]["SignalRowQuality"] | null;
      /** @description OPC UA StatusCode exactly as sent. Null when the source reports none. Of an interpolated row Good, UncertainDataSubNormal or BadNoData, unless a sample stands at that instant. */
      status_code: number | null;
      /** @description Symbolic name of status_code. Null without a code or when it is not a known one. */
      status_name: string | null;
      /** @description Whether the minute, or the instant, had no sample and repeats an earlier value. False on raw rows. */
      carried: boolean;
      /**
       * Format: int32
       * @description Samples of Good quality in the minute. Only on 1m rows.
       */
      good_count: number | null;
      /**
       * Format: int32
       * @description Samples of Uncertain quality in the minute. Only on 1m rows.
       */
      uncertain_count: number | null;
      /**
       * Format: int32
       * @description Samples of Bad quality in the minute. Only on 1m rows.
       */
      bad_count: number | null;
      /**
       * Format: double
       * @description Share of the bucket's time with good data, 0 to 100 (OPC 10000-13 PercentGood). Null before the first sample of all. Unit: %.
       */
      percent_good?: number | null;
      /**
       * Format: double
       * @description Time with good data (DurationGood): from each good sample to the next sample, carry_s of the tag at most. Unit: s.
       */
      duration_good?: number | null;
      /**
       * Format: double
       * @description Time with bad data, or with none (DurationBad). The rest of the bucket is uncertain. Unit: s.
       */
      duration_bad?: number | null;
      /**
       * Format: double
       * @description Least value of the bucket's good samples (Minimum).
       */
      minimum?: number | null;
      /**
       * Format: double
       * @description Greatest value of the bucket's good samples (Maximum).
       */
      maximum?: number | null;
      /**
       * Format: double
       * @description maximum − minimum (Range).
       */
      range?: number | null;
      /**
       * Format: double
       * @description Standard deviation of the bucket's good samples, n − 1 (StandardDeviationSample); 0 of one sample.
       */
      standard_deviation?: number | null;
      /**
       * Format: double
       * @description Value of the bucket's first sample (Start); null when that is bad.
       */
      first?: number | null;
      /**
       * Format: int32
       * @description How often a state (integer, boolean, string) changed in the bucket, bad samples aside (NumberOfTransitions). Null for floats, and when all samples of the bucket are bad.
       */
      number_of_transitions?: number | null;
      /**
       * Format: double
       * @description Mean over time of the value between samples (TimeAverage): floats run in a straight line from a usable sample to the next, states hold. Null for strings.
       */
      time_average?: number | null;
      /**
       * Format: date-time
       * @description Start of the bucket as an instant, UTC. Null if the row combines time zones in which the bucket starts at different instants. With include=ts_utc.
       */
      ts_utc?: string | null;
    };
    /** @enum {string} */
    SignalRowQuality: "good" | "uncertain" | "bad" | "partial";
    /**
     * @description raw: samples at the source's rate. 1m: one value a minute. interpolated: the value at an instant, with at or every.
     * @enum {string}
     */
    SignalRowResolution: "raw" | "1m" | "interpolated";
    /** @enum {string} */
    SignalsInclude: "stats" | "ts_utc";
    /** @enum {string} */
    SignalsLane: "raw_signal" | "performance";
    SignalsLatestAnswer: {
      values: components["schemas"]["LatestValue"][];
    };
    /** @enum {string} */
    SignalsResolution: "raw" | "1m";
    /** @enum {string} */
    SignalsStreamInclude: "alarms" | "work";
    SigningKeysAnswer: {
      signing_keys: components["schemas"]["SigningKeysAnswerSigningKey"][];
    };
    SigningKeysAnswerSigningKey: {
      /** @description Thumbprint (RFC 7638), as in the JWKS. */
      kid: string;
      /** @description The public key, base64url. */
      x: string;
      state: components["schemas"]["SigningKeysAnswerSigningKeyState"];
      /** @description ISO 8601, UTC. */
      published_from: string;
      /** @description ISO 8601, UTC; for the next key the time when it will begin to sign. */
      signs_from: string;
      /** @description ISO 8601, UTC. */
      signs_until: string | null;
      /** @description ISO 8601, UTC. */
      published_until: string | null;
    };
    /** @enum {string} */
    SigningKeysAnswerSigningKeyState: "next" | "signing" | "retiring" | "retired";
    SitePutAnswer: {
      /** @description The site's key. */
      site: string;
      dry_run: boolean;
      /** @description Empty if the site already matches the file. */
      changes: components["schemas"]["SitePutAnswerChange"][];
      /** @description What goes wrong by the changes, such as a fallback without its sensor, or a unit that is not known. */
      warnings?: string[];
    };
    SitePutAnswerChange: {
      action: components["schemas"]["Action"];
      kind: components["schemas"]["SitePutAnswerChangeKind"];
      /** @description The name of its table in the site file. */
      key: string;
      /** @description The fields that an update changes. */
      fields: string[];
      /** @description Whether stored results are computed again. */
      history: boolean;
    };
    /** @enum {string} */
    SitePutAnswerChangeKind:
      | "rule"
      | "organization"
      | "project"
      | "site"
      | "block"
      | "device_model"
      | "device"
      | "tag"
      | "sensor"
      | "counter_reset"
      | "fallback"
      | "keep_rule"
      | "source";
    /** SiteVersion */
    SiteVersion: {
      /** @description Its number in the project, from 1. */
      version: number;
      /** @description The site's key. */
      site: string;
      /** @description SHA-256 of the file's JSON. */
      digest: string;
      /** @description Name of the token that it was published with. */
      author: string;
      /** @description ISO 8601, UTC. */
      published_at: string;
      /** @description Whether it is the newest of its site. */
      is_newest: boolean;
      /** @description Whether gateways are offered it. */
      is_offered: boolean;
      /** @description Token of the only gateway that is offered it; null: each one, or none. */
      gateway: string | null;
    };
    SitesAnswer: {
      sites: components["schemas"]["SitesAnswerSite"][];
    };
    SitesAnswerSite: {
      site_id: string;
      key: string;
      name: string;
      project_id: string;
      project_key: string;
      organization_id: string;
    };
    SourcePutAnswer: {
      /** @description The site's key. */
      site: string;
      key: string;
      kind: components["schemas"]["SourcesAnswerKind"];
      /** @description Where the source is declared and can be changed. */
      origin: components["schemas"]["Origin"];
      /** @description Name of the token; null: the site file. */
      author: string | null;
      /** @description How it does; null while it is not read. */
      state: components["schemas"]["SourcesAnswerState"] | null;
      /** @description The source without what is as by default, as a body for PUT. */
      definition: {
        [key: string]: unknown;
      };
      /** @description What became of the source. */
      result: components["schemas"]["RulePutAnswerResult"];
    };
    SourcePutBodyIec104: {
      /** @description The source's key, unique in its project; its state is sent as tags that begin with it, such as KEY.connected. */
      key?: string;
      /**
       * @description Whether the source is read.
       * @default true
       */
      enabled?: boolean;
      /** @constant */
      kind: "iec104";
      /** @description Address of the stations' connection. */
      host: string;
      /**
       * @description Port.
       * @default 2404
       */
      port?: number;
      /**
       * @description Zone of the stations' clocks; of the hour that comes twice, their mark of summer time tells which.
       * @default UTC
       */
      timezone?: string;
      /**
       * @description Seconds between two interrogations: all values are asked for, whether they changed or not. The first is after each connection.
       * @default 3600
       */
      interrogate_s?: number;
      /** @description Seconds between two questions for the counters; by default they are not asked for. */
      counters_s?: number;
      /**
       * @description Whether the stations' clocks are set after each connection and interrogation.
       * @default false
       */
      set_clock?: boolean;
      /**
       * @description How long an answer is waited for (t1).
       * @default 15000
       */
      timeout_ms?: number;
      /**
       * @description Seconds of silence after which the connection is tested (t3).
       * @default 20
       */
      idle_s?: number;
      stations: components["schemas"]["SourcePutBodyIec104Station"][];
    };
    SourcePutBodyIec104Station: {
      /** @description Its common address. */
      station: number;
      /** @description Key of the site's device that it is. */
      device?: string;
      points: components["schemas"]["SourcePutBodyIec104StationPoint"][];
    };
    SourcePutBodyIec104StationPoint: {
      /** @description Name of its tag; {device} in it stands for the key of the station's device, {station} for its number. */
      tag: string;
      /** @description Its information object address, as one number: 3.2.1 is 1 + 2 * 256 + 3 * 65536. */
      address: number;
      /**
       * @description The sample's value is raw * scale + offset.
       * @default 1
       */
      scale?: number;
      /**
       * @description See scale.
       * @default 0
       */
      offset?: number;
      /** @description Makes the tag a setpoint: people and tokens of scope operate may send values to it, where the setting setpoints is on. */
      setpoint?: components["schemas"]["SourcePutBodyOpcuaPointSetpoint"];
      /** @description Of a setpoint: where its values go. The point itself is what the device has then. */
      command?: components["schemas"]["SourcePutBodyIec104StationPointCommand"];
    };
    /** @description Of a setpoint: where its values go. The point itself is what the device has then. */
    SourcePutBodyIec104StationPointCommand: {
      /** @description The information object address that commands go to. */
      address: number;
      /** @description What it holds: single (0 or 1, C_SC), double (1 off, 2 on, C_DC), normalized (-1 to 1, C_SE_NA), scaled (whole, C_SE_NB), short (a number, C_SE_NC), bits (32 bits, C_BO). */
      type: components["schemas"]["SourcePutBodyIec104StationPointCommandType"];
      /**
       * @description Whether the station is told to select it before it carries it out.
       * @default false
       */
      select?: boolean;
      /**
       * @description Whether it carries the time of the station's clock (types 58 to 64).
       * @default false
       */
      timed?: boolean;
      /**
       * @description Its qualifier (QU or QL): of single and double 1 is a short pulse, 2 a long one, 3 lasting.
       * @default 0
       */
      qualifier?: number;
      /** @description The value is raw * scale + offset of what is sent; by default the point's. */
      scale?: number;
      /** @description See scale. */
      offset?: number;
    };
    /**
     * @description What it holds: single (0 or 1, C_SC), double (1 off, 2 on, C_DC), normalized (-1 to 1, C_SE_NA), scaled (whole, C_SE_NB), short (a number, C_SE_NC), bits (32 bits, C_BO).
     * @enum {string}
     */
    SourcePutBodyIec104StationPointCommandType:
      | "single"
      | "double"
      | "normalized"
      | "scaled"
      | "short"
      | "bits";
    SourcePutBodyModbus: {
      /** @description The source's key, unique in its project; its state is sent as tags that begin with it, such as KEY.connected. */
      key?: string;
      /**
       * @description Whether the source is read.
       * @default true
       */
      enabled?: boolean;
      /** @constant */
      kind: "modbus";
      /** @description Address of its units; each can have its own. */
      host?: string;
      /**
       * @description Port.
       * @default 502
       */
      port?: number;
      /**
       * @description tcp, or rtu for a converter that passes on what stands on the serial line.
       * @default tcp
       */
      transport?: components["schemas"]["Transport"];
      /**
       * @description Seconds between two readings of fast points.
       * @default 10
       */
      every_s?: number;
      /**
       * @description Seconds between two readings of slow points.
       * @default 60
       */
      slow_s?: number;
      /**
       * @description How long an answer is waited for.
       * @default 3000
       */
      timeout_ms?: number;
      /**
       * @description How long to wait after connecting; some devices need a second.
       * @default 0
       */
      delay_ms?: number;
      /**
       * @description Registers that one request reads at most.
       * @default 125
       */
      most_registers?: number;
      maps: components["schemas"]["SourcePutBodyModbusMap"][];
      units: components["schemas"]["SourcePutBodyModbusUnit"][];
    };
    SourcePutBodyModbusMap: {
      /** @description The map's key, unique in its source. */
      key: string;
      /**
       * @description The number that the device's document gives the first register: 0, 1, 30001 or 40001.
       * @default 0
       */
      first_register?: 0 | 1 | 30001 | 40001;
      points: components["schemas"]["SourcePutBodyModbusMapPoint"][];
    };
    SourcePutBodyModbusMapPoint: {
      /** @description Name of its tag; {device} in it stands for the key of the unit's device, {unit} for the unit's number. */
      tag: string;
      /** @description A point of SunSpec: model.point, 160.module:2.DCA for the second copy of a group, 103:2.W for the second model of an id. Its scale factor is applied. */
      sunspec?: string;
      /** @description Or: the number of its first register or bit, as the device's document counts them. */
      register?: number;
      /**
       * @description Where the register stands: functions 3, 4, 1 and 2.
       * @default holding
       */
      table?: components["schemas"]["Table"];
      /**
       * @description What the registers hold.
       * @default uint16
       */
      type?: components["schemas"]["SourcePutBodyModbusMapPointType"];
      /** @description Registers of a string. */
      registers?: number;
      /**
       * @description Whether the high word of a value comes first (big) or last (little).
       * @default big
       */
      words?: components["schemas"]["Words"];
      /** @description Bits of a whole number that are taken, moved down to the lowest. */
      mask?: number;
      /**
       * @description Raw values that mean that there is no value.
       * @default []
       */
      nan?: number[];
      /**
       * @description The sample's value is raw * scale + offset.
       * @default 1
       */
      scale?: number;
      /**
       * @description See scale.
       * @default 0
       */
      offset?: number;
      /**
       * @description Read every every_s (fast) or every slow_s (slow).
       * @default fast
       */
      poll?: components["schemas"]["Poll"];
      /** @description Makes the tag a setpoint: people and tokens of scope operate may send values to it, where the setting setpoints is on. */
      setpoint?: components["schemas"]["SourcePutBodyOpcuaPointSetpoint"];
    };
    /**
     * @description What the registers hold.
     * @default uint16
     * @enum {string}
     */
    SourcePutBodyModbusMapPointType:
      | "int16"
      | "uint16"
      | "int32"
      | "uint32"
      | "int64"
      | "uint64"
      | "float32"
      | "float64"
      | "string";
    SourcePutBodyModbusUnit: {
      /** @description Its unit id (slave address). */
      unit: number;
      /** @description Key of its map. */
      map: string;
      /** @description Key of the site's device that it is. */
      device?: string;
      /** @description Its own address; by default the source's. */
      host?: string;
      /** @description Its own port; by default the source's. */
      port?: number;
      /** @description Where SunSpec begins; by default 40000, 50000 and 0 are tried. */
      base?: number;
    };
    SourcePutBodyMqtt: {
      /** @description The source's key, unique in its project; its state is sent as tags that begin with it, such as KEY.connected. */
      key?: string;
      /**
       * @description Whether the source is read.
       * @default true
       */
      enabled?: boolean;
      /** @constant */
      kind: "mqtt";
      /** @description Address of the broker. */
      host: string;
      /** @description Port; by default 1883, or 8883 with TLS. */
      port?: number;
      /**
       * @description Whether the connection is encrypted (mqtts).
       * @default false
       */
      tls?: boolean;
      /**
       * @description Version of MQTT.
       * @default 5
       */
      version?: components["schemas"]["Version"];
      /** @description Its name at the broker, by default `wattkeeper-KEY`. No other client may have it. */
      client_id?: string;
      /** @description Name that it signs in with. */
      user?: string;
      /** @description File with the password. */
      password_file?: string;
      /** @description File with the certificate (PEM) of the authority that signed the broker's, where that is none of the public ones. */
      ca_file?: string;
      /** @description File with its own certificate (PEM). */
      cert_file?: string;
      /** @description File with the key (PEM) of its certificate. */
      key_file?: string;
      /**
       * @description Seconds without a message after which broker and source ask for each other.
       * @default 30
       */
      keep_alive_s?: number;
      /**
       * @description How long an answer of the broker is waited for.
       * @default 10000
       */
      timeout_ms?: number;
      /**
       * @description 1: a message is acknowledged once its samples are on disk. 0: none is.
       * @default 1
       */
      qos?: 0 | 1;
      /**
       * @description How long the broker is to keep messages while the source is away (MQTT 5; with 3.1.1 the broker decides).
       * @default 86400
       */
      session_s?: number;
      /**
       * @description Which retained messages are taken: those that tell their own time, all, or none.
       * @default timed
       */
      retained?: components["schemas"]["Retained"];
      /** @description A topic that is told, retained, whether the source is connected: online or offline. */
      status_topic?: string;
      topics: components["schemas"]["SourcePutBodyMqttTopic"][];
      /**
       * @description Tags that people may send values to.
       * @default []
       */
      setpoints?: components["schemas"]["SourcePutBodyMqttSetpoint"][];
    };
    SourcePutBodyMqttSetpoint: {
      /** @description The tag whose value the device tells by one of the topics. */
      tag: string;
      /** @description Key of the site's device that it is of. */
      device?: string;
      /** @description The topic that values are sent to. */
      topic: string;
      /**
       * @description What is sent: {value} stands for the number, {boolean} for true (1) or false (0).
       * @default {value}
       */
      payload?: string;
      /**
       * @description Whether the broker keeps it, and gives it to a device that connects later.
       * @default false
       */
      retain?: boolean;
      /** @description Makes the tag a setpoint: people and tokens of scope operate may send values to it, where the setting setpoints is on. */
      setpoint: components["schemas"]["SourcePutBodyOpcuaPointSetpoint"];
    };
    SourcePutBodyMqttTopic: {
      /** @description The topic, of which whole levels may be named: `plant/{device}/{point}`, and all that is left at the end: `plant/{rest...}`. `+` and `#` take levels without a name. */
      topic: string;
      /** @description Name of the tag; what stands in braces is filled in: names of the topic, {name}, {key}. */
      tag: string;
      /** @description Where the value stands in JSON: `a.b[0].c`; `a.*`: each numeric or boolean member of a is a value, and {key} its name. Without it, the payload is the value: a number, true or false, or a text. */
      value?: string;
      /** @description Where an array stands, each of whose elements has its own value, name and time; `$`: the payload itself. The other paths begin at the element. */
      rows?: string;
      /** @description Where the text stands that {name} is in the tag. */
      name?: string;
      /** @description Where the time stands: ISO 8601 with an offset, or a number since 1970. Without it, or where nothing stands there, a sample has the time when its message arrived. */
      time?: string;
      /**
       * @description Unit of a time that is a number; auto: as large as it is.
       * @default auto
       */
      time_unit?: components["schemas"]["TimeUnit"];
      /** @description Where the quality stands: good, uncertain or bad, true or false, or an OPC UA status code. */
      quality?: string;
    };
    SourcePutBodyOpcua: {
      /** @description The source's key, unique in its project; its state is sent as tags that begin with it, such as KEY.connected. */
      key?: string;
      /**
       * @description Whether the source is read.
       * @default true
       */
      enabled?: boolean;
      /** @constant */
      kind: "opcua";
      /** @description Address of the server: opc.tcp://HOST:PORT/PATH; without a port 4840. */
      endpoint: string;
      /**
       * @description Whether messages are signed, and encrypted. none: anybody on the way reads them.
       * @default sign_and_encrypt
       */
      security?: components["schemas"]["Security"];
      /**
       * @description How they are; not used with security none.
       * @default Basic256Sha256
       */
      policy?: components["schemas"]["Policy"];
      /** @description Name that it signs in with. */
      user?: string;
      /** @description File with the password of user. */
      password_file?: string;
      /** @description Or: file with the certificate (PEM) of a user. The program's own is made by itself. */
      cert_file?: string;
      /** @description File with the key (PEM) of that certificate. */
      key_file?: string;
      /**
       * @description How often the server sends what changed, in milliseconds.
       * @default 1000
       */
      publish_ms?: number;
      /**
       * @description How often the server looks for a change, in milliseconds.
       * @default 1000
       */
      sampling_ms?: number;
      /**
       * @description Changes of a point that the server keeps until it sends them.
       * @default 100
       */
      queue?: number;
      /**
       * @description How far back values are read from the server's history after a gap; 0: they are not.
       * @default 31
       */
      history_days?: number;
      /**
       * @description How long an answer is waited for.
       * @default 10000
       */
      timeout_ms?: number;
      /** @default [] */
      points?: components["schemas"]["SourcePutBodyOpcuaPoint"][];
      /** @description The server's conditions become alarms. */
      alarms?: components["schemas"]["SourcePutBodyOpcuaAlarms"];
    };
    /** @description The server's conditions become alarms. */
    SourcePutBodyOpcuaAlarms: {
      /**
       * @description Node that sends the events of conditions; by default the whole server.
       * @default i=2253
       */
      node?: string;
      /**
       * @description A condition that is less severe, of 1 to 1000, raises no alarm.
       * @default 1
       */
      severity_from?: number;
      /** @description Class of the alarms, such as fault. */
      alarm_class?: string;
      /**
       * @description Devices of conditions; without it, the one whose key is the name of the source node.
       * @default []
       */
      devices?: components["schemas"]["SourcePutBodyOpcuaAlarmsDevice"][];
    };
    SourcePutBodyOpcuaAlarmsDevice: {
      /** @description Node that a condition has as its source, or as its input. */
      node: string;
      /** @description Key of the site's device that it stands for. */
      device: string;
    };
    SourcePutBodyOpcuaPoint: {
      /** @description Name of its tag; {device} in it stands for the key of its device. */
      tag: string;
      /** @description Its node id. nsu= names the namespace by its URI, which stays when its number changes. */
      node: string;
      /** @description Key of the site's device that it belongs to. */
      device?: string;
      /** @description Which element of an array, from 0. */
      element?: number;
      /** @description How often the server looks for a change of it; by default the source's. */
      sampling_ms?: number;
      /** @description A change that is smaller is not sent, in the unit of the raw value. */
      deadband?: number;
      /**
       * @description The sample's value is raw * scale + offset.
       * @default 1
       */
      scale?: number;
      /**
       * @description See scale.
       * @default 0
       */
      offset?: number;
      /** @description Makes the tag a setpoint: people and tokens of scope operate may send values to it, where the setting setpoints is on. */
      setpoint?: components["schemas"]["SourcePutBodyOpcuaPointSetpoint"];
    };
    /** @description Makes the tag a setpoint: people and tokens of scope operate may send values to it, where the setting setpoints is on. */
    SourcePutBodyOpcuaPointSetpoint: {
      /** @description The unit of its values, which each command must name; 1 for a plain number. */
      unit: string;
      /** @description The least value that may be sent. */
      min: number;
      /** @description The largest value that may be sent. */
      max: number;
      /** @description Values are whole multiples of it, counted from min. */
      step?: number;
      /** @description The most by which a command may change the value that the device has; without a value that can be read nothing is sent. */
      most_change?: number;
      /**
       * @description The shortest time between two commands, in seconds.
       * @default 10
       */
      every_s?: number;
      /**
       * @description How long the device may take until it reads back what was sent.
       * @default 5000
       */
      confirm_ms?: number;
      /** @description How far what is read back may lie from what was sent; by default it has to be the same. */
      tolerance?: number;
    };
    SourcePutBodySparkplug: {
      /** @description The source's key, unique in its project; its state is sent as tags that begin with it, such as KEY.connected. */
      key?: string;
      /**
       * @description Whether the source is read.
       * @default true
       */
      enabled?: boolean;
      /** @constant */
      kind: "sparkplug";
      /** @description Address of the broker. */
      host: string;
      /** @description Port; by default 1883, or 8883 with TLS. */
      port?: number;
      /**
       * @description Whether the connection is encrypted (mqtts).
       * @default false
       */
      tls?: boolean;
      /**
       * @description Version of MQTT.
       * @default 5
       */
      version?: components["schemas"]["Version"];
      /** @description Its name at the broker, by default `wattkeeper-KEY`. No other client may have it. */
      client_id?: string;
      /** @description Name that it signs in with. */
      user?: string;
      /** @description File with the password. */
      password_file?: string;
      /** @description File with the certificate (PEM) of the authority that signed the broker's, where that is none of the public ones. */
      ca_file?: string;
      /** @description File with its own certificate (PEM). */
      cert_file?: string;
      /** @description File with the key (PEM) of its certificate. */
      key_file?: string;
      /**
       * @description Seconds without a message after which broker and source ask for each other.
       * @default 30
       */
      keep_alive_s?: number;
      /**
       * @description How long an answer of the broker is waited for.
       * @default 10000
       */
      timeout_ms?: number;
      /**
       * @description Its name as a host: `spBv1.0/STATE/HOST_ID` says whether it is there. Nodes that know it as their primary host keep their values while it is away.
       * @default wattkeeper
       */
      host_id?: string;
      /**
       * @description Groups whose nodes are read; all by default.
       * @default []
       */
      groups?: string[];
      /**
       * @description Name of the tag of a device's metric, by {group}, {node}, {device} and {metric}.
       * @default {group}.{node}.{device}.{metric}
       */
      tag?: string;
      /**
       * @description Name of the tag of a node's own metric, by {group}, {node} and {metric}.
       * @default {group}.{node}.{metric}
       */
      node_tag?: string;
      /**
       * @description Whether nodes are asked to tell their metrics again (Node Control/Rebirth) where messages are missing. No other command is sent but to setpoints.
       * @default true
       */
      rebirth?: boolean;
      /**
       * @description Metrics that people may send values to, by NCMD and DCMD.
       * @default []
       */
      setpoints?: components["schemas"]["SourcePutBodySparkplugSetpoint"][];
    };
    SourcePutBodySparkplugSetpoint: {
      /** @description The group of its node. */
      group: string;
      /** @description Its edge node. */
      node: string;
      /** @description Its device; by default it is the node's own. */
      device?: string;
      /** @description The metric; its type is the one that its birth tells. */
      metric: string;
      /** @description Makes the tag a setpoint: people and tokens of scope operate may send values to it, where the setting setpoints is on. */
      setpoint: components["schemas"]["SourcePutBodyOpcuaPointSetpoint"];
    };
    SourcesAnswer: {
      /** @description The site's key. */
      site: string;
      key: string;
      kind: components["schemas"]["SourcesAnswerKind"];
      /** @description Where the source is declared and can be changed. */
      origin: components["schemas"]["Origin"];
      /** @description Name of the token; null: the site file. */
      author: string | null;
      /** @description How it does; null while it is not read. */
      state: components["schemas"]["SourcesAnswerState"] | null;
      /** @description The source without what is as by default, as a body for PUT. */
      definition: {
        [key: string]: unknown;
      };
    };
    /** @enum {string} */
    SourcesAnswerKind: "modbus" | "mqtt" | "opcua" | "sparkplug" | "iec104";
    SourcesAnswerState: {
      /** @description When its reading began. */
      since: string;
      /** @description Whether all its devices answer; null as long as not all were asked. */
      connected: boolean | null;
      /** @description Time of its newest stored value. */
      last_value_at: string | null;
      /** @description Seconds by which its clock is ahead; null where it tells no times. */
      clock_ahead_s: number | null;
      /** @description What went wrong since its reading began. */
      errors: components["schemas"]["SourcesAnswerStateErrors"];
      last_error: string | null;
      last_error_at: string | null;
      /** @description Why samples were not stored, or messages not read; the first reasons only. */
      rejected: components["schemas"]["SourcesAnswerStateRejected"][];
      /** @description Spans of which values may be lost; the last of them. */
      gaps: components["schemas"]["SourcesAnswerStateGap"][];
      /** @description What else you should know, such as missing points. */
      notes: string[];
      devices: components["schemas"]["SourcesAnswerStateDevice"][];
    };
    SourcesAnswerStateDevice: {
      /** @description Key of the device, or where it is. */
      name: string;
      connected: boolean | null;
      /** @description Since when it is so. */
      since: string;
      last_answer_at: string | null;
      last_error: string | null;
      last_error_at: string | null;
    };
    /** @description What went wrong since its reading began. */
    SourcesAnswerStateErrors: {
      /** @description Nobody answered in time. */
      timeouts: number;
      /** @description Nothing listens there, or the connection broke. */
      refused: number;
      /** @description A certificate, a password or a right was not accepted. */
      denied: number;
      /** @description An answer was none, or the device refused what was asked. */
      protocol: number;
      /** @description Samples that were not stored, as a body of them would not have been. */
      rejected: number;
    };
    SourcesAnswerStateGap: {
      from: string;
      to: string;
      reason: string;
    };
    SourcesAnswerStateRejected: {
      reason: string;
      count: number;
      /** @description Tag of the first. */
      tag: string | null;
      /** @description Topic of the first, of a broker's message. */
      topic: string | null;
    };
    SqlQueryBody: {
      /** @description One SELECT over the views of /docs/query. */
      sql: string;
      /** @description Projects, by id or key; left out: all that the token reaches. */
      projects?: string[];
      /** @description Form of the answer; by default Accept says. */
      format?: components["schemas"]["SqlQueryBodyFormat"];
      /**
       * @description IANA zone of days, and of times without an offset.
       * @default UTC
       */
      timezone?: string;
    };
    /**
     * @description Form of the answer; by default Accept says.
     * @enum {string}
     */
    SqlQueryBodyFormat: "arrow" | "parquet" | "ndjson" | "csv" | "json";
    StatusAnswer: {
      version: string;
      /** @description The clock of the service: ISO 8601, UTC. */
      now: string;
      /** @description Why it does not accept requests; null: it does. */
      not_ready: string | null;
      /** @description What the database may use of memory, in MiB. */
      memory_mb: number;
      /** @description Files of old days that are missing or damaged: the first hundred of them, and how. */
      broken_files: string[];
      /** @description The gauges by name, without `wattkeeper_`: value by label, `` for none. */
      metrics: {
        [key: string]: {
          [key: string]: number;
        };
      };
    };
    /**
     * @description path: endpoint/bucket/name; host: bucket.endpoint/name, as AWS has it.
     * @default path
     * @enum {string}
     */
    Style: "path" | "host";
    /** Subscription */
    Subscription: {
      id: string;
      organization_id: string;
      /** @description Null: every project of it. */
      project_ids: string[] | null;
      name: string;
      target: string;
      event_types: components["schemas"]["EventType"][];
      /** @description Names of the additional headers; their values are not shown. */
      header_names: string[];
      timeout_s: number;
      is_ordered: boolean;
      hears_itself: boolean;
      /** @description Deliveries are held while it is paused (by a person) or disabled (by the service). */
      state: components["schemas"]["SubscriptionState"];
      /** @description Why it is disabled. */
      reason: string | null;
      /** @description When its newest secret was made. The secret is not shown again. */
      secret_created_at: string;
      /** @description Until when the old secret also signs; null if there is none. */
      former_secret_until: string | null;
      /** @description ISO 8601, UTC. */
      created_at: string;
      /** @description ISO 8601, UTC. */
      updated_at: string;
      /** @description With include=breaker: whether the receiver is left alone for a while. */
      breaker?: components["schemas"]["SubscriptionBreaker"];
    };
    /** @description With include=breaker: whether the receiver is left alone for a while. */
    SubscriptionBreaker: {
      /** @description closed: events are sent. open: the receiver keeps failing and is left alone. trying: one attempt is under way, which decides. */
      state: components["schemas"]["SubscriptionBreakerState"];
      /** @description Since when it is open; null while closed. */
      since: string | null;
      /** @description When the next attempt is made; null while closed. */
      next_try_at: string | null;
    };
    /**
     * @description closed: events are sent. open: the receiver keeps failing and is left alone. trying: one attempt is under way, which decides.
     * @enum {string}
     */
    SubscriptionBreakerState: "closed" | "open" | "trying";
    SubscriptionDeleteAnswer: {
      id: string;
      /** @description ISO 8601, UTC. */
      deleted_at: string;
    };
    SubscriptionPostAnswer: {
      id: string;
      organization_id: string;
      /** @description Null: every project of it. */
      project_ids: string[] | null;
      name: string;
      target: string;
      event_types: components["schemas"]["EventType"][];
      /** @description Names of the additional headers; their values are not shown. */
      header_names: string[];
      timeout_s: number;
      is_ordered: boolean;
      hears_itself: boolean;
      /** @description Deliveries are held while it is paused (by a person) or disabled (by the service). */
      state: components["schemas"]["SubscriptionState"];
      /** @description Why it is disabled. */
      reason: string | null;
      /** @description When its newest secret was made. The secret is not shown again. */
      secret_created_at: string;
      /** @description Until when the old secret also signs; null if there is none. */
      former_secret_until: string | null;
      /** @description ISO 8601, UTC. */
      created_at: string;
      /** @description ISO 8601, UTC. */
      updated_at: string;
      /** @description With include=breaker: whether the receiver is left alone for a while. */
      breaker?: components["schemas"]["SubscriptionBreaker"];
      /** @description The newest secret. It is shown only in this answer. */
      secret: string;
    };
    SubscriptionPostBody: {
      /** @description What it is for. */
      name: string;
      /** @description Projects that it is limited to, by id or key; by default all that the token can access. */
      projects?: string[];
      /** @description Address that events are sent to: an http or https URL. */
      target: string;
      /** @description Events that it gets: types, all types of a family such as alarm.*, or * for everything. */
      event_types: components["schemas"]["EventType"][];
      /**
       * @description How long an answer may take, in seconds.
       * @default 10
       */
      timeout_s?: number;
      /**
       * @description Whether each event waits until the one before it is settled.
       * @default false
       */
      is_ordered?: boolean;
      /**
       * @description Whether it also gets the changes of a sync that its own secret signed.
       * @default false
       */
      hears_itself?: boolean;
      /** @description Organization, by id or key; by default the token's own. */
      organization?: string;
      /**
       * @description Additional headers.
       * @example {}
       */
      headers?: {
        [key: string]: string;
      };
    };
    SubscriptionPutBody: {
      /** @description What it is for. */
      name: string;
      /** @description Projects that it is limited to, by id or key; by default all that the token can access. */
      projects?: string[];
      /** @description Address that events are sent to: an http or https URL. */
      target: string;
      /** @description Events that it gets: types, all types of a family such as alarm.*, or * for everything. */
      event_types: components["schemas"]["EventType"][];
      /**
       * @description How long an answer may take, in seconds.
       * @default 10
       */
      timeout_s?: number;
      /**
       * @description Whether each event waits until the one before it is settled.
       * @default false
       */
      is_ordered?: boolean;
      /**
       * @description Whether it also gets the changes of a sync that its own secret signed.
       * @default false
       */
      hears_itself?: boolean;
      /** @description Additional headers; if left out, they stay as they are. */
      headers?: {
        [key: string]: string;
      };
    };
    /**
     * @description Deliveries are held while it is paused (by a person) or disabled (by the service).
     * @enum {string}
     */
    SubscriptionState: "enabled" | "paused" | "disabled";
    SubscriptionTestAnswer: {
      /** @description Id of the webhook.test event, as in x-svc-event-id of its delivery. */
      event_id: string;
    };
    SubscriptionsAnswer: {
      subscriptions: components["schemas"]["Subscription"][];
    };
    /**
     * @description Where the register stands: functions 3, 4, 1 and 2.
     * @default holding
     * @enum {string}
     */
    Table: "holding" | "input" | "coil" | "discrete";
    /** Tag */
    Tag: {
      sensor_tag: string;
      lane: components["schemas"]["TagLane"];
      tag_class: string | null;
      /** @description Null until it is declared or the first value comes. */
      value_encoding: components["schemas"]["TagValueEncoding"] | null;
      /** @description Unit that the source reports. */
      unit: string | null;
      /** @description Whether a site file declares it. */
      declared: boolean;
      /** @description Whether a sensor uses it. */
      mapped: boolean;
    };
    /** @enum {unknown} */
    TagLane: "signal" | "model";
    /** @enum {unknown} */
    TagValueEncoding: "float" | "integer" | "string";
    /**
     * @description table: how times are written: iso (2026-11-21 05:00:00.5), mdy (11/21/2026 5:00 AM), dmy (21.11.2026 05:00:00), ymd (26/11/21 05:00), dby (21-Nov-2026 05:00:00), packed (20261121 0500), ydoy (2026 325 0500), parts (2026 11 21 5 0), epoch_s (1795237200), epoch_ms (1795237200000), epoch_us (1795237200000000), epoch_ns (1795237200000000000), excel (46347.2083333)
     * @enum {string}
     */
    TimeFormat:
      | "iso"
      | "mdy"
      | "dmy"
      | "ymd"
      | "dby"
      | "packed"
      | "ydoy"
      | "parts"
      | "epoch_s"
      | "epoch_ms"
      | "epoch_us"
      | "epoch_ns"
      | "excel";
    /**
     * @description Unit of a time that is a number; auto: as large as it is.
     * @default auto
     * @enum {string}
     */
    TimeUnit: "auto" | "s" | "ms" | "us" | "ns";
    /** @enum {string} */
    TimezoneBy: "setting" | "file" | "project";
    /** Token */
    Token: {
      token_id: string;
      name: string;
      /** @description Null: every organization. */
      organization_id: string | null;
      /** @description Null: every project of it. */
      project_ids: string[] | null;
      scopes: components["schemas"]["Scope"][];
      /** @description User of the token; null for the token of a program. */
      user_id: string | null;
      /** @description ISO 8601, UTC. */
      created_at: string;
      /** @description ISO 8601, UTC. */
      expires_at: string | null;
      /** @description ISO 8601, UTC. */
      revoked_at: string | null;
      /** @description ISO 8601, UTC. */
      last_used_at: string | null;
    };
    TokenPostAnswer: {
      token_id: string;
      token: string;
    };
    TokenPostBody: {
      /** @description What it is for. */
      name: string;
      /** @description What it may do. */
      scopes: components["schemas"]["Scope"][];
      /** @description Organization that the token is limited to. */
      organization?: string;
      /** @description Projects of one organization that the token is limited to. */
      projects?: string[];
      /** @description User of the token, by id or e-mail. The token stops working when the user is disabled. */
      user?: string;
      /** @description When it ends: an ISO 8601 instant with an offset. */
      expires_at?: string;
    };
    TokensAnswer: {
      tokens: components["schemas"]["Token"][];
    };
    /**
     * @description tcp, or rtu for a converter that passes on what stands on the serial line.
     * @default tcp
     * @enum {string}
     */
    Transport: "tcp" | "rtu";
    /**
     * @description Model of the diffuse light on the plane.
     * @default hay_davies
     * @enum {string}
     */
    Transposition: "hay_davies" | "isotropic";
    /** UnwellSensor */
    UnwellSensor: {
      /** @description What is wrong with it. */
      state: components["schemas"]["SensorHealthState"];
      /** @description The sensor. */
      hierarchy_id: string;
      /** @description Its tag. */
      sensor_tag: string;
      /** @description Its device. Null if it belongs to the site as a whole. */
      device_id: string | null;
      /** @description Name of the device. */
      device_name: string | null;
      /** @description Component that it measures. */
      component: string;
      /** @description What it measures. */
      component_measure: string;
      /**
       * Format: date-time
       * @description Silent: the time of the last sample. Stuck: the first minute with this value. Dead: the first one without light. Ahead: when the newest sample was stored. Null if not known.
       */
      since: string | null;
      /**
       * Format: date-time
       * @description Time of the newest sample. Null if it has none, or if it is not found: see since.
       */
      last_ts: string | null;
      /**
       * Format: double
       * @description Value of the newest sample in the unit of the measure. Null if it has no number.
       */
      last_value: number | null;
    };
    /** Upstream */
    Upstream: {
      /** @description Whether there is a centre: the setting upstream_url. */
      is_set: boolean;
      url: string | null;
      /** @description Whether the centre took the last that it was sent. */
      connected: boolean;
      /** @description What is wrong, and what to do; null: nothing is. */
      reason: string | null;
      /** @description ISO 8601, UTC. */
      trouble_since: string | null;
      /** @description ISO 8601, UTC. */
      next_try_at: string | null;
      /** @description The most that is sent, kbit/s; 0: no limit. */
      max_kbit: number;
      /** @description Rows taken, a second of the last minute. */
      rows_per_s: number;
      projects: components["schemas"]["UpstreamProject"][];
      /** @description Sites whose file comes from the centre. */
      sites: components["schemas"]["PulledSite"][];
      /** @description The newest first. */
      days: components["schemas"]["UpstreamDay"][];
    };
    /** UpstreamComparison */
    UpstreamComparison: {
      /** @description YYYY-MM-DD (UTC); null: there are no rows at all. */
      day: string | null;
      /** @description The day before it that has rows. */
      next_day: string | null;
      /** @description Hours of tags that were compared. */
      hours: number;
      /** @description Rows that they have here. */
      rows: number;
      /** @description Hours of tags that differ. */
      differing: number;
      /** @description Rows of these hours, which wait now to be sent again. */
      sent_again: number;
      /** @description Hours with rows that were not forwarded yet. */
      waiting: number;
      /** @description Hours with rows that the centre does not take. */
      set_aside: number;
      /** @description Hours of which the centre has more rows: others send there, too. */
      more: number;
    };
    UpstreamDay: {
      /** @description YYYY-MM-DD (UTC). */
      day: string;
      /** @description Sent, compressed, also what had to be sent again. */
      bytes: number;
      /** @description Taken by the centre. */
      rows: number;
    };
    UpstreamHoldAnswer: {
      held_by: string | null;
    };
    UpstreamJoinAnswer: {
      url: string | null;
    };
    UpstreamJoinBody: {
      /** @description Address of the centre, without a path. */
      url: string;
      /** @description What `wattkeeper gateway enrol` printed there. */
      code: string;
    };
    UpstreamProject: {
      project_id: string;
      /** @description The same at the centre. */
      key: string;
      /** @description Whether the centre has it in reach of the token; null: not known yet. */
      at_centre: boolean | null;
      /** @description Age of the oldest live row that waits; 0: none does. */
      lag_s: number;
      waiting_rows: number;
      /** @description Rows that the centre does not take: see /set-aside. */
      set_aside_rows: number;
      /** @description What the disk had no room for until it was forwarded, the last first. */
      lost: components["schemas"]["UpstreamProjectLost"][];
      /** @description Spans of storing time that the waiting rows are told by. */
      spans: number;
      /** @description The newest 20 of them. */
      waiting: components["schemas"]["UpstreamProjectWaiting"][];
    };
    UpstreamProjectLost: {
      kept: components["schemas"]["UpstreamProjectLostKept"];
      /** @description YYYY-MM-DD (UTC), of the rows. */
      day: string;
      rows: number;
      /** @description ISO 8601, UTC. */
      lost_at: string;
    };
    /** @enum {string} */
    UpstreamProjectLostKept: "samples" | "forecasts";
    UpstreamProjectWaiting: {
      /** @description ISO 8601, UTC. */
      from: string;
      /** @description Exclusive; null: all from then on, which is live. */
      to: string | null;
    };
    /** UpstreamWork */
    UpstreamWork: {
      /** @description Whether there is a centre. */
      is_set: boolean;
      /** @description Changes made here that the centre does not have. */
      waiting: number;
      /** @description When the last change reached the other side; null while one waits. ISO 8601, UTC. */
      in_step_since: string | null;
      /** @description Why the centre does not take a change; null: it does. */
      refused: string | null;
      /** @description Whether the line is up. */
      connected: boolean;
      /** @description Since when it is not. ISO 8601, UTC. */
      trouble_since: string | null;
    };
    /** User */
    User: {
      /** @description User ID. */
      id: string;
      /** @description First name; personal data. */
      first_name: string;
      /** @description Last name; personal data. */
      last_name: string;
      /** @description E-mail address; personal data. */
      email: string;
    };
    UserLinkPostAnswer: {
      /** @description Address to open in the browser that is to be signed in. */
      url: string;
      /** @description ISO 8601, UTC. */
      expires_at: string;
    };
    UserPostBody: {
      /** @description E-mail address, unique in the organization; upper and lower case are the same. */
      email: string;
      /** @description First name. */
      first_name: string;
      /** @description Last name. */
      last_name: string;
      /**
       * @description What the user may do when signed in; without any, the user can't sign in.
       * @default []
       */
      scopes?: components["schemas"]["Scope"][];
      /** @description Projects that the user is limited to, by id or key; left out: all of them. */
      projects?: string[];
      /** @description Organization, by id or key; by default the token's own. */
      organization?: string;
    };
    UserPutBody: {
      /** @description E-mail address, unique in the organization; upper and lower case are the same. */
      email: string;
      /** @description First name. */
      first_name: string;
      /** @description Last name. */
      last_name: string;
      /**
       * @description What the user may do when signed in; without any, the user can't sign in.
       * @default []
       */
      scopes?: components["schemas"]["Scope"][];
      /** @description Projects that the user is limited to, by id or key; left out: all of them. */
      projects?: string[];
      /**
       * @description Whether the user can no longer act.
       * @default false
       */
      disabled?: boolean;
    };
    UsersAnswer: {
      users: components["schemas"]["Account"][];
    };
    /**
     * @description Version of MQTT.
     * @default 5
     * @enum {string}
     */
    Version: "5" | "3.1.1";
    /**
     * @description How it began.
     * @enum {string}
     */
    Via: "token" | "link" | "password" | "oidc" | "demo";
    /** View */
    View: {
      id: string;
      project_id: string;
      page: components["schemas"]["Page"];
      name: string;
      /** @description The query of the page's address, without what names the project. */
      address: string;
      /** @description Id of the user who saved it; null: no user's token. */
      created_by: string | null;
      /** @description ISO 8601, UTC. */
      created_at: string;
      /** @description ISO 8601, UTC. */
      updated_at: string;
      /** @description Counts its changes, from 1; in quotes it is the ETag. */
      version: number;
    };
    ViewPatchBody: {
      /** @description Its name, unique for the page. */
      name?: string;
      /** @description The query of the page's address without its ?: key=value&key=value, percent-encoded as a browser does it. Empty: the page as it opens by itself. */
      address?: string;
    };
    /**
     * @example {
     *       "page": "trends",
     *       "name": "Power, last day",
     *       "address": "curves=INV-01:active_power"
     *     }
     */
    ViewPostBody: {
      /** @description Page of the screens. */
      page: components["schemas"]["Page"];
      /** @description Its name, unique for the page. */
      name: string;
      /** @description The query of the page's address without its ?: key=value&key=value, percent-encoded as a browser does it. Empty: the page as it opens by itself. */
      address: string;
    };
    /** Wattkeeper site file */
    WattkeeperSiteFile: {
      /** @description For editors. */
      $schema?: string;
      /**
       * @description Version of this form.
       * @constant
       */
      version: 1;
      /** @description Owner of the project. */
      organization: components["schemas"]["WattkeeperSiteFileOrganization"];
      /** @description The tenant of all data. */
      project: components["schemas"]["WattkeeperSiteFileProject"];
      /** @description The site. */
      site: components["schemas"]["WattkeeperSiteFileSite"];
      /** @default [] */
      blocks?: components["schemas"]["WattkeeperSiteFileBlock"][];
      /**
       * @description What devices of one make have in common.
       * @default []
       */
      device_models?: components["schemas"]["WattkeeperSiteFileDeviceModel"][];
      /** @default [] */
      devices?: components["schemas"]["WattkeeperSiteFileDevice"][];
      /**
       * @description Properties of tags. A tag without a sensor is visible in the raw lane only.
       * @default []
       */
      tags?: components["schemas"]["WattkeeperSiteFileTag"][];
      /**
       * @description Tags mapped to devices: the rows of the site hierarchy.
       * @default []
       */
      sensors?: components["schemas"]["WattkeeperSiteFileSensor"][];
      /**
       * @description Weather of neighbours for expected power, where the site's own sensors have no healthy value.
       * @default []
       */
      fallbacks?: components["schemas"]["WattkeeperSiteFileFallback"][];
      /**
       * @description How long data of some tags are kept. Of the entries that match a tag, the first one counts.
       * @default []
       */
      retention?: components["schemas"]["WattkeeperSiteFileRetention"][];
      /**
       * @description Steps of counters that are known, such as a replacement of a meter.
       * @default []
       */
      counter_resets?: components["schemas"]["CounterResetPostBody"][];
      /** @description Alarm rules: what they watch, and when they raise an alarm. */
      rules?: (
        | components["schemas"]["WattkeeperSiteFileRuleThreshold"]
        | components["schemas"]["WattkeeperSiteFileRuleOutside"]
        | components["schemas"]["WattkeeperSiteFileRuleStale"]
        | components["schemas"]["WattkeeperSiteFileRuleBitmask"]
        | components["schemas"]["WattkeeperSiteFileRuleEnum"]
        | components["schemas"]["WattkeeperSiteFileRuleRateOfChange"]
        | components["schemas"]["WattkeeperSiteFileRuleDeviation"]
      )[];
      /**
       * @description Devices that are read by the service itself, and how.
       * @default []
       */
      sources?: (
        | components["schemas"]["WattkeeperSiteFileSourceModbus"]
        | components["schemas"]["WattkeeperSiteFileSourceMqtt"]
        | components["schemas"]["WattkeeperSiteFileSourceOpcua"]
        | components["schemas"]["WattkeeperSiteFileSourceSparkplug"]
        | components["schemas"]["WattkeeperSiteFileSourceIec104"]
      )[];
    };
    WattkeeperSiteFileBlock: {
      /** @description The block's key, unique in its site. */
      key: string;
      /** @description Its name; by default its key. */
      name?: string;
    };
    WattkeeperSiteFileDevice: {
      /** @description The source system's key of the device, unique in its project. */
      key: string;
      /** @description Its name; by default its key. */
      name?: string;
      /** @description Type of the device. */
      type: components["schemas"]["Component"];
      /** @description Key of its block; by default its parent's block. */
      block?: string;
      /** @description Key of the device above it. */
      parent?: string;
      /** @description Key of its device model, whose parameters are used where the device has none of its own. */
      device_model?: string;
      /** @description Name of the tag of its event word; the device model explains the bits. It need not be listed in tags; its values are integers. */
      event_tag?: string;
      /** @description An inverter's parameters for expected power. */
      pv?: components["schemas"]["WattkeeperSiteFileDevicePv"];
      /** @description Losses and limits of a system, block, feeder, transformer or meter. */
      grid?: components["schemas"]["WattkeeperSiteFileDeviceGrid"];
    };
    /** @description Losses and limits of a system, block, feeder, transformer or meter. */
    WattkeeperSiteFileDeviceGrid: {
      /**
       * @description Share of power lost between the devices below and its terminals.
       * @default 0
       */
      losses?: number;
      /** @description Largest power that it passes on, W. */
      limit_w?: number;
      /** @description Voltage of its terminals; below half of it counts as a grid outage. */
      nominal_voltage_v?: number;
    };
    WattkeeperSiteFileDeviceModel: {
      /** @description The device model's key, unique in its site. */
      key: string;
      /** @description Parameters for expected power that its inverters have in common. */
      pv?: components["schemas"]["WattkeeperSiteFileDevicePv"];
      /** @description State by status code; a code that is not listed is no evidence. sunspec is 4 (MPPT) full_capability, 5 (throttled) partial_capability, 7 (fault) forced_outage. */
      status?: "sunspec" | {
        [key: string]: components["schemas"]["Event"];
      };
      /** @description State by bit of the event word (0 is the lowest); other bits are no evidence. sunspec is 3 and 12 dc_side_outage; 4 and 8 to 11 out_of_electrical_specification; 6 requested_shutdown; 7 and 13 out_of_environmental_specification; 0, 1, 2, 5, 14 and 15 forced_outage. */
      events?: "sunspec" | {
        [key: string]: components["schemas"]["Event"];
      };
      /** @description Alarm points by their identifier, such as Error-17; used by rules with points. */
      points?: {
        [key: string]: components["schemas"]["WattkeeperSiteFileDeviceModelPoint"];
      };
    };
    WattkeeperSiteFileDeviceModelPoint: {
      /** @description Properties of an alarm of this point. */
      label: string;
      /** @description Its severity; by default the rule's. */
      severity?: string;
      /** @description Its alarm class; by default the rule's. */
      alarm_class?: string;
      /**
       * @description Whether it is relevant to NERC compliance; it has priority over the rule.
       * @default false
       */
      is_nerc?: boolean;
    };
    /** @description Parameters for expected power that its inverters have in common. */
    WattkeeperSiteFileDevicePv: {
      /** @description Power of the modules at standard test conditions, W. */
      rated_dc_w?: number;
      /** @description Rated power of the inverter, W. */
      rated_ac_w?: number;
      /**
       * @description Temperature coefficient of power, 1/K.
       * @default -0.0035
       */
      gamma?: number;
      /**
       * @description Share lost between modules and inverter.
       * @default 0.14
       */
      losses?: number;
      /**
       * @description Nominal efficiency of the inverter.
       * @default 0.96
       */
      efficiency?: number;
      /** @description Points [load, efficiency] instead of the PVWatts curve. load is DC power / rated DC input, and the rated DC input is rated_ac_w / efficiency. */
      efficiency_curve?: number[][];
      /** @description Of fixed modules, degrees: 0 is horizontal, 90 is vertical. */
      tilt?: number;
      /** @description Direction of fixed modules, degrees clockwise from north: 180 is south. */
      azimuth?: number;
      /** @description Single-axis tracker. */
      tracker?: components["schemas"]["WattkeeperSiteFileDevicePvTracker"];
      /**
       * @description Model of the diffuse light on the plane.
       * @default hay_davies
       */
      transposition?: components["schemas"]["Transposition"];
      /**
       * @description Reflectance of the ground.
       * @default 0.2
       */
      albedo?: number;
      /**
       * @description Model of the cell temperature.
       * @example {
       *       "model": "faiman",
       *       "u0": 25,
       *       "u1": 6.84
       *     }
       */
      temperature?:
        | components["schemas"]["WattkeeperSiteFileDevicePvTemperatureFaiman"]
        | components["schemas"]["WattkeeperSiteFileDevicePvTemperatureSapm"]
        | components["schemas"]["WattkeeperSiteFileDevicePvTemperaturePvsyst"];
    };
    WattkeeperSiteFileDevicePvTemperatureFaiman: {
      /** @constant */
      model: "faiman";
      /**
       * @description W/(m²·K).
       * @default 25
       */
      u0?: number;
      /**
       * @description W/(m²·K) per m/s of wind.
       * @default 6.84
       */
      u1?: number;
    };
    WattkeeperSiteFileDevicePvTemperaturePvsyst: {
      /** @constant */
      model: "pvsyst";
      /**
       * @description W/(m²·K).
       * @default 29
       */
      u_c?: number;
      /**
       * @description W/(m²·K) per m/s of wind.
       * @default 0
       */
      u_v?: number;
      /** @default 0.1 */
      module_efficiency?: number;
      /** @default 0.9 */
      absorption?: number;
    };
    WattkeeperSiteFileDevicePvTemperatureSapm: {
      /** @constant */
      model: "sapm";
      /** @default -3.56 */
      a?: number;
      /**
       * @description Per m/s of wind.
       * @default -0.075
       */
      b?: number;
      /**
       * @description Cell temperature above module temperature, K, at 1000 W/m².
       * @default 3
       */
      delta_t?: number;
    };
    /** @description Single-axis tracker. */
    WattkeeperSiteFileDevicePvTracker: {
      /**
       * @description Tilt of the axis, degrees.
       * @default 0
       */
      axis_tilt?: number;
      /**
       * @description Direction of the axis, degrees from north.
       * @default 180
       */
      axis_azimuth?: number;
      /**
       * @description Largest rotation to each side, degrees.
       * @default 60
       */
      max_angle?: number;
      /**
       * @description Whether rows turn back so that they do not shade each other (backtracking).
       * @default true
       */
      backtrack?: boolean;
      /**
       * @description Module width over row distance; only backtracking uses it.
       * @default 0.35
       */
      ground_cover?: number;
    };
    WattkeeperSiteFileFallback: {
      /** @description Key of the other site; it belongs to the same organization. */
      site: string;
      /** @description Name of the tag of one of its weather sensors; by default all of them. */
      tag?: string;
    };
    /** @description Owner of the project. */
    WattkeeperSiteFileOrganization: {
      /** @description The organization's key; a new key makes a new organization. */
      key: string;
      /** @description Its name. */
      name: string;
    };
    /** @description The tenant of all data. */
    WattkeeperSiteFileProject: {
      /** @description The project's key, unique in its organization. */
      key: string;
      /** @description Its name. */
      name: string;
      /** @description Portfolio of the project. */
      portfolio?: string;
      /** @description Its IANA time zone, such as Europe/Madrid. */
      timezone: string;
    };
    WattkeeperSiteFileRetention: {
      /** @description Names of tags of the project; * stands for any text. */
      tags: string;
      /** @description Only measured values (signal) or expected ones (model); by default both. */
      lane?: components["schemas"]["WattkeeperSiteFileRetentionLane"];
      /** @description How long samples are kept: days, such as 400d, or forever. */
      keep_samples?: string;
      /** @description How long forecasts are kept, likewise. */
      keep_forecasts?: string;
      /** @description How long values by minute are kept, likewise. */
      keep_minutes?: string;
      /** @description How long values by quarter-hour are kept, likewise. */
      keep_quarters?: string;
    };
    /**
     * @description Only measured values (signal) or expected ones (model); by default both.
     * @enum {string}
     */
    WattkeeperSiteFileRetentionLane: "signal" | "model";
    WattkeeperSiteFileRuleBitmask: {
      /** @description The rule's key, unique in its site. */
      key: string;
      /** @description Its name; its alarms have the same name. */
      name: string;
      /** @description What operators should know about it. */
      description?: string;
      /** @constant */
      kind: "bitmask";
      /** @description The bits that it watches: a number, a list of bits, or 0x text. */
      mask: number | number[] | string;
      /**
       * @description Names of bits, by bit; 0 is the lowest.
       * @example {}
       */
      labels?: {
        [key: string]: string;
      };
      /** @description What it watches: the tag with this name. With {device} in it: the tag of each device of device_model, component or device; {device} stands for the key of the device. */
      tag?: string;
      /** @description Or: the sensors of this measure, in its unit, of the same devices. */
      measure?: components["schemas"]["Measure"];
      /**
       * @description Or: the event words of the same devices.
       * @constant
       */
      event_word?: true;
      /** @description The devices of this device model. */
      device_model?: string;
      /** @description The devices of this type; with measure: the sensors of this component. */
      component?: components["schemas"]["Component"];
      /** @description The device with this key. */
      device?: string;
      /**
       * @description Severity of its alarms: critical, high, medium, low, info, or another name.
       * @default medium
       */
      severity?: string;
      /** @description Class of its alarms, such as comms, grid, trip, fault, performance. */
      alarm_class?: string;
      /**
       * @description Whether its alarms are relevant to NERC compliance.
       * @default false
       */
      is_nerc?: boolean;
      /**
       * @description When its alarms end: auto, when the condition is gone; manual, when an operator resolves them; require_both, when both have happened.
       * @default auto
       */
      resolution_policy?: components["schemas"]["ResolutionPolicy"];
      /**
       * @description How long the condition must be present before an alarm is raised, in seconds.
       * @default 0
       */
      on_delay_s?: number;
      /**
       * @description How long the condition must be gone before the alarm is cleared, in seconds.
       * @default 0
       */
      off_delay_s?: number;
      /**
       * @description Where it is judged: here, by every service that has it, each for itself; gateway, by the gateway of the project alone, whose alarms its centre shows as well; centre, by the centre alone. A service that has neither a gateway nor a centre judges all rules.
       * @default here
       */
      judged_at?: components["schemas"]["JudgedAt"];
      /**
       * @description Whether the rule is active.
       * @default true
       */
      enabled?: boolean;
    };
    WattkeeperSiteFileRuleDeviation: {
      /** @description The rule's key, unique in its site. */
      key: string;
      /** @description Its name; its alarms have the same name. */
      name: string;
      /** @description What operators should know about it. */
      description?: string;
      /** @constant */
      kind: "deviation";
      /** @description Where the expected value comes from: the model, or the median of the peers. */
      from: components["schemas"]["From"];
      /** @default below */
      side?: components["schemas"]["Side"];
      /** @description Percent of the expected value. */
      limit_pct: number;
      /**
       * @description If the expected value is below this, the rule is not evaluated; in the unit of the measure, the mean of the minutes of span_minutes.
       * @default 0
       */
      min_expected?: number;
      /**
       * @description At each minute, the sums of this many minutes up to it are compared. Only the minutes that have both values count; if they fill less than half of this time, the rule is not evaluated.
       * @default 1
       */
      span_minutes?: number;
      /** @description What it watches: the tag with this name. With {device} in it: the tag of each device of device_model, component or device; {device} stands for the key of the device. */
      tag?: string;
      /** @description Or: the sensors of this measure, in its unit, of the same devices. */
      measure?: components["schemas"]["Measure"];
      /**
       * @description Or: the event words of the same devices.
       * @constant
       */
      event_word?: true;
      /** @description The devices of this device model. */
      device_model?: string;
      /** @description The devices of this type; with measure: the sensors of this component. */
      component?: components["schemas"]["Component"];
      /** @description The device with this key. */
      device?: string;
      /**
       * @description Severity of its alarms: critical, high, medium, low, info, or another name.
       * @default medium
       */
      severity?: string;
      /** @description Class of its alarms, such as comms, grid, trip, fault, performance. */
      alarm_class?: string;
      /**
       * @description Whether its alarms are relevant to NERC compliance.
       * @default false
       */
      is_nerc?: boolean;
      /**
       * @description When its alarms end: auto, when the condition is gone; manual, when an operator resolves them; require_both, when both have happened.
       * @default auto
       */
      resolution_policy?: components["schemas"]["ResolutionPolicy"];
      /**
       * @description How long the condition must be present before an alarm is raised, in seconds.
       * @default 0
       */
      on_delay_s?: number;
      /**
       * @description How long the condition must be gone before the alarm is cleared, in seconds.
       * @default 0
       */
      off_delay_s?: number;
      /**
       * @description Where it is judged: here, by every service that has it, each for itself; gateway, by the gateway of the project alone, whose alarms its centre shows as well; centre, by the centre alone. A service that has neither a gateway nor a centre judges all rules.
       * @default here
       */
      judged_at?: components["schemas"]["JudgedAt"];
      /**
       * @description Whether the rule is active.
       * @default true
       */
      enabled?: boolean;
    };
    WattkeeperSiteFileRuleEnum: {
      /** @description The rule's key, unique in its site. */
      key: string;
      /** @description Its name; its alarms have the same name. */
      name: string;
      /** @description What operators should know about it. */
      description?: string;
      /** @constant */
      kind: "enum";
      /** @description The codes that it watches. */
      codes?: number[];
      /**
       * @description Instead of codes: every code except 0; each is an alarm point of its device model's list.
       * @constant
       */
      points?: true;
      /**
       * @description Names of codes, by code.
       * @example {}
       */
      labels?: {
        [key: string]: string;
      };
      /** @description What it watches: the tag with this name. With {device} in it: the tag of each device of device_model, component or device; {device} stands for the key of the device. */
      tag?: string;
      /** @description Or: the sensors of this measure, in its unit, of the same devices. */
      measure?: components["schemas"]["Measure"];
      /**
       * @description Or: the event words of the same devices.
       * @constant
       */
      event_word?: true;
      /** @description The devices of this device model. */
      device_model?: string;
      /** @description The devices of this type; with measure: the sensors of this component. */
      component?: components["schemas"]["Component"];
      /** @description The device with this key. */
      device?: string;
      /**
       * @description Severity of its alarms: critical, high, medium, low, info, or another name.
       * @default medium
       */
      severity?: string;
      /** @description Class of its alarms, such as comms, grid, trip, fault, performance. */
      alarm_class?: string;
      /**
       * @description Whether its alarms are relevant to NERC compliance.
       * @default false
       */
      is_nerc?: boolean;
      /**
       * @description When its alarms end: auto, when the condition is gone; manual, when an operator resolves them; require_both, when both have happened.
       * @default auto
       */
      resolution_policy?: components["schemas"]["ResolutionPolicy"];
      /**
       * @description How long the condition must be present before an alarm is raised, in seconds.
       * @default 0
       */
      on_delay_s?: number;
      /**
       * @description How long the condition must be gone before the alarm is cleared, in seconds.
       * @default 0
       */
      off_delay_s?: number;
      /**
       * @description Where it is judged: here, by every service that has it, each for itself; gateway, by the gateway of the project alone, whose alarms its centre shows as well; centre, by the centre alone. A service that has neither a gateway nor a centre judges all rules.
       * @default here
       */
      judged_at?: components["schemas"]["JudgedAt"];
      /**
       * @description Whether the rule is active.
       * @default true
       */
      enabled?: boolean;
    };
    WattkeeperSiteFileRuleOutside: {
      /** @description The rule's key, unique in its site. */
      key: string;
      /** @description Its name; its alarms have the same name. */
      name: string;
      /** @description What operators should know about it. */
      description?: string;
      /** @constant */
      kind: "outside";
      /** @description The lower limit of the band, in the measure's unit, or the source's where it names a tag. */
      low: number;
      /** @description The upper limit of the band, in the same unit. */
      high: number;
      /**
       * @description How far within both limits the value must be for the condition to be gone.
       * @default 0
       */
      deadband?: number;
      /** @description What it watches: the tag with this name. With {device} in it: the tag of each device of device_model, component or device; {device} stands for the key of the device. */
      tag?: string;
      /** @description Or: the sensors of this measure, in its unit, of the same devices. */
      measure?: components["schemas"]["Measure"];
      /**
       * @description Or: the event words of the same devices.
       * @constant
       */
      event_word?: true;
      /** @description The devices of this device model. */
      device_model?: string;
      /** @description The devices of this type; with measure: the sensors of this component. */
      component?: components["schemas"]["Component"];
      /** @description The device with this key. */
      device?: string;
      /**
       * @description Severity of its alarms: critical, high, medium, low, info, or another name.
       * @default medium
       */
      severity?: string;
      /** @description Class of its alarms, such as comms, grid, trip, fault, performance. */
      alarm_class?: string;
      /**
       * @description Whether its alarms are relevant to NERC compliance.
       * @default false
       */
      is_nerc?: boolean;
      /**
       * @description When its alarms end: auto, when the condition is gone; manual, when an operator resolves them; require_both, when both have happened.
       * @default auto
       */
      resolution_policy?: components["schemas"]["ResolutionPolicy"];
      /**
       * @description How long the condition must be present before an alarm is raised, in seconds.
       * @default 0
       */
      on_delay_s?: number;
      /**
       * @description How long the condition must be gone before the alarm is cleared, in seconds.
       * @default 0
       */
      off_delay_s?: number;
      /**
       * @description Where it is judged: here, by every service that has it, each for itself; gateway, by the gateway of the project alone, whose alarms its centre shows as well; centre, by the centre alone. A service that has neither a gateway nor a centre judges all rules.
       * @default here
       */
      judged_at?: components["schemas"]["JudgedAt"];
      /**
       * @description Whether the rule is active.
       * @default true
       */
      enabled?: boolean;
    };
    WattkeeperSiteFileRuleRateOfChange: {
      /** @description The rule's key, unique in its site. */
      key: string;
      /** @description Its name; its alarms have the same name. */
      name: string;
      /** @description What operators should know about it. */
      description?: string;
      /** @constant */
      kind: "rate_of_change";
      /** @default both */
      direction?: components["schemas"]["Direction"];
      /** @description Limit of the change per minute. */
      limit_per_min: number;
      /**
       * @description Shortest time between the compared values, in seconds.
       * @default 60
       */
      over_s?: number;
      /** @description What it watches: the tag with this name. With {device} in it: the tag of each device of device_model, component or device; {device} stands for the key of the device. */
      tag?: string;
      /** @description Or: the sensors of this measure, in its unit, of the same devices. */
      measure?: components["schemas"]["Measure"];
      /**
       * @description Or: the event words of the same devices.
       * @constant
       */
      event_word?: true;
      /** @description The devices of this device model. */
      device_model?: string;
      /** @description The devices of this type; with measure: the sensors of this component. */
      component?: components["schemas"]["Component"];
      /** @description The device with this key. */
      device?: string;
      /**
       * @description Severity of its alarms: critical, high, medium, low, info, or another name.
       * @default medium
       */
      severity?: string;
      /** @description Class of its alarms, such as comms, grid, trip, fault, performance. */
      alarm_class?: string;
      /**
       * @description Whether its alarms are relevant to NERC compliance.
       * @default false
       */
      is_nerc?: boolean;
      /**
       * @description When its alarms end: auto, when the condition is gone; manual, when an operator resolves them; require_both, when both have happened.
       * @default auto
       */
      resolution_policy?: components["schemas"]["ResolutionPolicy"];
      /**
       * @description How long the condition must be present before an alarm is raised, in seconds.
       * @default 0
       */
      on_delay_s?: number;
      /**
       * @description How long the condition must be gone before the alarm is cleared, in seconds.
       * @default 0
       */
      off_delay_s?: number;
      /**
       * @description Where it is judged: here, by every service that has it, each for itself; gateway, by the gateway of the project alone, whose alarms its centre shows as well; centre, by the centre alone. A service that has neither a gateway nor a centre judges all rules.
       * @default here
       */
      judged_at?: components["schemas"]["JudgedAt"];
      /**
       * @description Whether the rule is active.
       * @default true
       */
      enabled?: boolean;
    };
    WattkeeperSiteFileRuleStale: {
      /** @description The rule's key, unique in its site. */
      key: string;
      /** @description Its name; its alarms have the same name. */
      name: string;
      /** @description What operators should know about it. */
      description?: string;
      /** @constant */
      kind: "stale";
      /** @description Longest time without a value, in seconds; for a tag that never sent one, counted from when the rule began to watch it. */
      max_age_s: number;
      /** @description What it watches: the tag with this name. With {device} in it: the tag of each device of device_model, component or device; {device} stands for the key of the device. */
      tag?: string;
      /** @description Or: the sensors of this measure, in its unit, of the same devices. */
      measure?: components["schemas"]["Measure"];
      /**
       * @description Or: the event words of the same devices.
       * @constant
       */
      event_word?: true;
      /** @description The devices of this device model. */
      device_model?: string;
      /** @description The devices of this type; with measure: the sensors of this component. */
      component?: components["schemas"]["Component"];
      /** @description The device with this key. */
      device?: string;
      /**
       * @description Severity of its alarms: critical, high, medium, low, info, or another name.
       * @default medium
       */
      severity?: string;
      /** @description Class of its alarms, such as comms, grid, trip, fault, performance. */
      alarm_class?: string;
      /**
       * @description Whether its alarms are relevant to NERC compliance.
       * @default false
       */
      is_nerc?: boolean;
      /**
       * @description When its alarms end: auto, when the condition is gone; manual, when an operator resolves them; require_both, when both have happened.
       * @default auto
       */
      resolution_policy?: components["schemas"]["ResolutionPolicy"];
      /**
       * @description How long the condition must be present before an alarm is raised, in seconds.
       * @default 0
       */
      on_delay_s?: number;
      /**
       * @description How long the condition must be gone before the alarm is cleared, in seconds.
       * @default 0
       */
      off_delay_s?: number;
      /**
       * @description Where it is judged: here, by every service that has it, each for itself; gateway, by the gateway of the project alone, whose alarms its centre shows as well; centre, by the centre alone. A service that has neither a gateway nor a centre judges all rules.
       * @default here
       */
      judged_at?: components["schemas"]["JudgedAt"];
      /**
       * @description Whether the rule is active.
       * @default true
       */
      enabled?: boolean;
    };
    WattkeeperSiteFileRuleThreshold: {
      /** @description The rule's key, unique in its site. */
      key: string;
      /** @description Its name; its alarms have the same name. */
      name: string;
      /** @description What operators should know about it. */
      description?: string;
      /** @constant */
      kind: "threshold";
      /** @description Comparison of a value with the threshold. */
      operator: components["schemas"]["Operator"];
      /** @description In the unit of the measure, or in the source's unit if the rule names a tag. */
      threshold: number;
      /**
       * @description How far the value must return past the threshold before the condition is gone.
       * @default 0
       */
      deadband?: number;
      /** @description What it watches: the tag with this name. With {device} in it: the tag of each device of device_model, component or device; {device} stands for the key of the device. */
      tag?: string;
      /** @description Or: the sensors of this measure, in its unit, of the same devices. */
      measure?: components["schemas"]["Measure"];
      /**
       * @description Or: the event words of the same devices.
       * @constant
       */
      event_word?: true;
      /** @description The devices of this device model. */
      device_model?: string;
      /** @description The devices of this type; with measure: the sensors of this component. */
      component?: components["schemas"]["Component"];
      /** @description The device with this key. */
      device?: string;
      /**
       * @description Severity of its alarms: critical, high, medium, low, info, or another name.
       * @default medium
       */
      severity?: string;
      /** @description Class of its alarms, such as comms, grid, trip, fault, performance. */
      alarm_class?: string;
      /**
       * @description Whether its alarms are relevant to NERC compliance.
       * @default false
       */
      is_nerc?: boolean;
      /**
       * @description When its alarms end: auto, when the condition is gone; manual, when an operator resolves them; require_both, when both have happened.
       * @default auto
       */
      resolution_policy?: components["schemas"]["ResolutionPolicy"];
      /**
       * @description How long the condition must be present before an alarm is raised, in seconds.
       * @default 0
       */
      on_delay_s?: number;
      /**
       * @description How long the condition must be gone before the alarm is cleared, in seconds.
       * @default 0
       */
      off_delay_s?: number;
      /**
       * @description Where it is judged: here, by every service that has it, each for itself; gateway, by the gateway of the project alone, whose alarms its centre shows as well; centre, by the centre alone. A service that has neither a gateway nor a centre judges all rules.
       * @default here
       */
      judged_at?: components["schemas"]["JudgedAt"];
      /**
       * @description Whether the rule is active.
       * @default true
       */
      enabled?: boolean;
    };
    WattkeeperSiteFileSensor: {
      /** @description Name of its tag; it need not be listed in tags. */
      tag: string;
      /** @description Key of its device; without one it belongs to the site. */
      device?: string;
      /** @description Its component; by default the type of its device. */
      component?: components["schemas"]["Component"];
      /** @description What it measures. */
      measure: components["schemas"]["Measure"];
      /**
       * @description A value in the measure's unit is raw * scale + offset.
       * @default 1
       */
      scale?: number;
      /**
       * @description See scale.
       * @default 0
       */
      offset?: number;
      /** @description Rated power in W, or energy capacity in Wh for a storage measure. */
      capacity?: number;
      /**
       * @description How an amount is sent: as a rising counter, as an amount per interval, or as a rate (none).
       * @default none
       */
      accumulation?: components["schemas"]["Accumulation"];
      /** @description Length of an interval, in seconds. */
      interval_s?: number;
      /**
       * @description Whether the time of an amount is the start or the end of its interval.
       * @default start
       */
      interval_at?: components["schemas"]["Label"];
      /** @description Bits of the counter, after which it starts again at 0. */
      register_bits?: number;
      /** @description Where the counter starts again at 0, as its tag sends it: 1000000 for a display of six digits. Without it and register_bits, 16 and 32 bits are known. */
      register_modulus?: number;
      /**
       * @description The data stream (deployment) it belongs to.
       * @default default
       */
      sentinel_tag?: string;
      /** @description Key of its block; by default its device's block. */
      block?: string;
    };
    /** @description The site. */
    WattkeeperSiteFileSite: {
      /** @description The site's key, unique in the installation. */
      key: string;
      /** @description Its name. */
      name: string;
      /** @description Degrees north. */
      latitude: number;
      /** @description Degrees east. */
      longitude: number;
    };
    WattkeeperSiteFileSourceIec104: {
      /** @description The source's key, unique in its project; its state is sent as tags that begin with it, such as KEY.connected. */
      key: string;
      /**
       * @description Whether the source is read.
       * @default true
       */
      enabled?: boolean;
      /** @constant */
      kind: "iec104";
      /** @description Address of the stations' connection. */
      host: string;
      /**
       * @description Port.
       * @default 2404
       */
      port?: number;
      /**
       * @description Zone of the stations' clocks; of the hour that comes twice, their mark of summer time tells which.
       * @default UTC
       */
      timezone?: string;
      /**
       * @description Seconds between two interrogations: all values are asked for, whether they changed or not. The first is after each connection.
       * @default 3600
       */
      interrogate_s?: number;
      /** @description Seconds between two questions for the counters; by default they are not asked for. */
      counters_s?: number;
      /**
       * @description Whether the stations' clocks are set after each connection and interrogation.
       * @default false
       */
      set_clock?: boolean;
      /**
       * @description How long an answer is waited for (t1).
       * @default 15000
       */
      timeout_ms?: number;
      /**
       * @description Seconds of silence after which the connection is tested (t3).
       * @default 20
       */
      idle_s?: number;
      stations: components["schemas"]["SourcePutBodyIec104Station"][];
    };
    WattkeeperSiteFileSourceModbus: {
      /** @description The source's key, unique in its project; its state is sent as tags that begin with it, such as KEY.connected. */
      key: string;
      /**
       * @description Whether the source is read.
       * @default true
       */
      enabled?: boolean;
      /** @constant */
      kind: "modbus";
      /** @description Address of its units; each can have its own. */
      host?: string;
      /**
       * @description Port.
       * @default 502
       */
      port?: number;
      /**
       * @description tcp, or rtu for a converter that passes on what stands on the serial line.
       * @default tcp
       */
      transport?: components["schemas"]["Transport"];
      /**
       * @description Seconds between two readings of fast points.
       * @default 10
       */
      every_s?: number;
      /**
       * @description Seconds between two readings of slow points.
       * @default 60
       */
      slow_s?: number;
      /**
       * @description How long an answer is waited for.
       * @default 3000
       */
      timeout_ms?: number;
      /**
       * @description How long to wait after connecting; some devices need a second.
       * @default 0
       */
      delay_ms?: number;
      /**
       * @description Registers that one request reads at most.
       * @default 125
       */
      most_registers?: number;
      maps: components["schemas"]["SourcePutBodyModbusMap"][];
      units: components["schemas"]["SourcePutBodyModbusUnit"][];
    };
    WattkeeperSiteFileSourceMqtt: {
      /** @description The source's key, unique in its project; its state is sent as tags that begin with it, such as KEY.connected. */
      key: string;
      /**
       * @description Whether the source is read.
       * @default true
       */
      enabled?: boolean;
      /** @constant */
      kind: "mqtt";
      /** @description Address of the broker. */
      host: string;
      /** @description Port; by default 1883, or 8883 with TLS. */
      port?: number;
      /**
       * @description Whether the connection is encrypted (mqtts).
       * @default false
       */
      tls?: boolean;
      /**
       * @description Version of MQTT.
       * @default 5
       */
      version?: components["schemas"]["Version"];
      /** @description Its name at the broker, by default `wattkeeper-KEY`. No other client may have it. */
      client_id?: string;
      /** @description Name that it signs in with. */
      user?: string;
      /** @description File with the password. */
      password_file?: string;
      /** @description File with the certificate (PEM) of the authority that signed the broker's, where that is none of the public ones. */
      ca_file?: string;
      /** @description File with its own certificate (PEM). */
      cert_file?: string;
      /** @description File with the key (PEM) of its certificate. */
      key_file?: string;
      /**
       * @description Seconds without a message after which broker and source ask for each other.
       * @default 30
       */
      keep_alive_s?: number;
      /**
       * @description How long an answer of the broker is waited for.
       * @default 10000
       */
      timeout_ms?: number;
      /**
       * @description 1: a message is acknowledged once its samples are on disk. 0: none is.
       * @default 1
       */
      qos?: 0 | 1;
      /**
       * @description How long the broker is to keep messages while the source is away (MQTT 5; with 3.1.1 the broker decides).
       * @default 86400
       */
      session_s?: number;
      /**
       * @description Which retained messages are taken: those that tell their own time, all, or none.
       * @default timed
       */
      retained?: components["schemas"]["Retained"];
      /** @description A topic that is told, retained, whether the source is connected: online or offline. */
      status_topic?: string;
      topics: components["schemas"]["SourcePutBodyMqttTopic"][];
      /**
       * @description Tags that people may send values to.
       * @default []
       */
      setpoints?: components["schemas"]["SourcePutBodyMqttSetpoint"][];
    };
    WattkeeperSiteFileSourceOpcua: {
      /** @description The source's key, unique in its project; its state is sent as tags that begin with it, such as KEY.connected. */
      key: string;
      /**
       * @description Whether the source is read.
       * @default true
       */
      enabled?: boolean;
      /** @constant */
      kind: "opcua";
      /** @description Address of the server: opc.tcp://HOST:PORT/PATH; without a port 4840. */
      endpoint: string;
      /**
       * @description Whether messages are signed, and encrypted. none: anybody on the way reads them.
       * @default sign_and_encrypt
       */
      security?: components["schemas"]["Security"];
      /**
       * @description How they are; not used with security none.
       * @default Basic256Sha256
       */
      policy?: components["schemas"]["Policy"];
      /** @description Name that it signs in with. */
      user?: string;
      /** @description File with the password of user. */
      password_file?: string;
      /** @description Or: file with the certificate (PEM) of a user. The program's own is made by itself. */
      cert_file?: string;
      /** @description File with the key (PEM) of that certificate. */
      key_file?: string;
      /**
       * @description How often the server sends what changed, in milliseconds.
       * @default 1000
       */
      publish_ms?: number;
      /**
       * @description How often the server looks for a change, in milliseconds.
       * @default 1000
       */
      sampling_ms?: number;
      /**
       * @description Changes of a point that the server keeps until it sends them.
       * @default 100
       */
      queue?: number;
      /**
       * @description How far back values are read from the server's history after a gap; 0: they are not.
       * @default 31
       */
      history_days?: number;
      /**
       * @description How long an answer is waited for.
       * @default 10000
       */
      timeout_ms?: number;
      /** @default [] */
      points?: components["schemas"]["SourcePutBodyOpcuaPoint"][];
      /** @description The server's conditions become alarms. */
      alarms?: components["schemas"]["SourcePutBodyOpcuaAlarms"];
    };
    WattkeeperSiteFileSourceSparkplug: {
      /** @description The source's key, unique in its project; its state is sent as tags that begin with it, such as KEY.connected. */
      key: string;
      /**
       * @description Whether the source is read.
       * @default true
       */
      enabled?: boolean;
      /** @constant */
      kind: "sparkplug";
      /** @description Address of the broker. */
      host: string;
      /** @description Port; by default 1883, or 8883 with TLS. */
      port?: number;
      /**
       * @description Whether the connection is encrypted (mqtts).
       * @default false
       */
      tls?: boolean;
      /**
       * @description Version of MQTT.
       * @default 5
       */
      version?: components["schemas"]["Version"];
      /** @description Its name at the broker, by default `wattkeeper-KEY`. No other client may have it. */
      client_id?: string;
      /** @description Name that it signs in with. */
      user?: string;
      /** @description File with the password. */
      password_file?: string;
      /** @description File with the certificate (PEM) of the authority that signed the broker's, where that is none of the public ones. */
      ca_file?: string;
      /** @description File with its own certificate (PEM). */
      cert_file?: string;
      /** @description File with the key (PEM) of its certificate. */
      key_file?: string;
      /**
       * @description Seconds without a message after which broker and source ask for each other.
       * @default 30
       */
      keep_alive_s?: number;
      /**
       * @description How long an answer of the broker is waited for.
       * @default 10000
       */
      timeout_ms?: number;
      /**
       * @description Its name as a host: `spBv1.0/STATE/HOST_ID` says whether it is there. Nodes that know it as their primary host keep their values while it is away.
       * @default wattkeeper
       */
      host_id?: string;
      /**
       * @description Groups whose nodes are read; all by default.
       * @default []
       */
      groups?: string[];
      /**
       * @description Name of the tag of a device's metric, by {group}, {node}, {device} and {metric}.
       * @default {group}.{node}.{device}.{metric}
       */
      tag?: string;
      /**
       * @description Name of the tag of a node's own metric, by {group}, {node} and {metric}.
       * @default {group}.{node}.{metric}
       */
      node_tag?: string;
      /**
       * @description Whether nodes are asked to tell their metrics again (Node Control/Rebirth) where messages are missing. No other command is sent but to setpoints.
       * @default true
       */
      rebirth?: boolean;
      /**
       * @description Metrics that people may send values to, by NCMD and DCMD.
       * @default []
       */
      setpoints?: components["schemas"]["SourcePutBodySparkplugSetpoint"][];
    };
    WattkeeperSiteFileTag: {
      /** @description The source system's name of the tag. */
      name: string;
      /** @description Class of the tag, such as measurement or alarms. */
      class?: string;
      /** @description How its values are stored. By default integer if rules use them as codes or bits, otherwise decided by the first sample. */
      encoding?: components["schemas"]["Encoding"];
      /** @description The unit that the source reports. */
      unit?: string;
      /**
       * @description How long a value stays valid over minutes without samples, in seconds.
       * @default 900
       */
      carry_s?: number;
      /** @description Makes it a derived tag: the service computes it, and nobody sends it. */
      derived?: components["schemas"]["WattkeeperSiteFileTagDerived"];
      /** @description The source's device key; by default the device of its sensor. */
      device_key?: string;
      /** @description The source's device name; likewise. */
      device_name?: string;
    };
    /** @description Makes it a derived tag: the service computes it, and nobody sends it. */
    WattkeeperSiteFileTagDerived: {
      /** @description What it is computed from: names of tags in brackets, numbers, + - * / ( ), and the functions sum, min, max and bit, such as `[INV-1.p_w] + [INV-2.p_w]`. */
      formula: string;
      /**
       * @description How old the last sample of an input may be, in seconds; 0: all inputs of one instant.
       * @default 300
       */
      max_age_s?: number;
      /** @description Makes one sample of each so many seconds, on the clock's grid, instead of one of each instant at which an input has one. */
      every_s?: number;
      /**
       * @description Makes a sample only where value or quality change, and when carry_s is over.
       * @default false
       */
      on_change?: boolean;
    };
    /** WebhookEnvelope */
    WebhookEnvelope: {
      /**
       * Format: int32
       * @description Version of the envelope and of the data. It changes only when a change would break receivers.
       */
      schema_version: number;
      /** @description Event ID; the same on every attempt and in a replay. Use it to process each event only once. */
      id: string;
      /** @description Event type. */
      type: components["schemas"]["DeliveryType"];
      /**
       * Format: date-time
       * @description When it occurred.
       */
      occurred_at: string;
      /** @description Organization. */
      organization_id: string;
      /** @description Project. */
      project_id: string;
    };
    /**
     * WebhookTest
     * @description The subscription.
     */
    WebhookTest: {
      /** @description Subscription that is tested. */
      subscription_id: string;
      /** @description Its name. */
      name: string;
    };
    /**
     * @description Whether the high word of a value comes first (big) or last (little).
     * @default big
     * @enum {string}
     */
    Words: "big" | "little";
    /** WorkOrder */
    WorkOrder: {
      /** @description ID. */
      id: string;
      /**
       * Format: int32
       * @description Number within the organization, from 1; issues and work orders are numbered separately.
       */
      number: number;
      /** @description Owning organization. */
      organization_id: string;
      /** @description Project. */
      project_id: string;
      /** @description The project's key. */
      project: components["schemas"]["ProjectKey"];
      /** @description Issue that the work order is under. */
      issue_id: string;
      /** @description Title. */
      title: string;
      /** @description Description. */
      description: string | null;
      /** @description Status; completed and cancelled are final. */
      status: components["schemas"]["WorkOrderStatus"];
      /** @description Priority, the most urgent first. */
      priority: components["schemas"]["Priority"];
      /**
       * Format: date-time
       * @description When the work is due.
       */
      due_date: string | null;
      /** @description Type of work: corrective, preventive, predictive, inspection, emergency, cleaning, vegetation, warranty, upgrade. An open set. */
      work_type: string;
      /** @description External system of the work order. */
      external_system: string | null;
      /** @description ID in the external system. */
      external_id: string | null;
      /** @description Reference in the external system. */
      external_ref: string | null;
      /** @description URL in the external system. */
      external_url: string | null;
      /** @description An object with any keys, stored as it was sent. */
      payload: {
        [key: string]: unknown;
      } | null;
      /** @description Assigned user. Null if there is none. */
      assigned_to: components["schemas"]["User"] | null;
      /** @description User who created it. Null if it was not a user. */
      created_by: components["schemas"]["User"] | null;
      /** @description The work on each device. */
      devices: components["schemas"]["WorkOrderDevice"][];
      /**
       * Format: date-time
       * @description When it was created.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When it last changed; for an issue, also when its work orders changed. updated_since compares against it.
       */
      updated_at: string;
      /** @description Summary of the issue as it was when the work order changed. */
      issue: components["schemas"]["WorkOrderIssue"];
    };
    WorkOrderDeleteAnswer: {
      id: string;
      title: string;
    };
    WorkOrderDevice: {
      /** @description Device to work on. */
      device_id: string;
      /** @description Component of the device. */
      component: string;
      /** @description Status of the work on the device. */
      status: components["schemas"]["WorkOrderDeviceStatus"];
      /**
       * Format: date-time
       * @description When it was completed. Null until then.
       */
      completed_at: string | null;
    };
    /**
     * @description Status of the work on the device.
     * @enum {string}
     */
    WorkOrderDeviceStatus: "pending" | "in_progress" | "completed" | "skipped";
    /** @description Summary of the issue as it was when the work order changed. */
    WorkOrderIssue: {
      /** @description Issue ID. */
      id: string;
      /**
       * Format: int32
       * @description Issue number.
       */
      number: number;
      /** @description Name. */
      name: string;
      /** @description Status. */
      status: components["schemas"]["IssueStatus"];
      /** @description Project. */
      project_id: string;
      /** @description The project's key. */
      project: components["schemas"]["ProjectKey"];
    };
    /**
     * @example {
     *       "status": "completed"
     *     }
     */
    WorkOrderPatchBody: {
      /** @description Title. */
      title?: string;
      /** @description Description. */
      description?: string | null;
      /** @description Priority; by default that of its issue. */
      priority?: components["schemas"]["Priority"];
      /** @description When the work is due: ISO 8601 with an offset. */
      due_date?: string | null;
      /** @description Type of work: corrective, preventive, predictive, inspection, emergency, cleaning, vegetation, warranty, upgrade, or any other text. */
      work_type?: string;
      /** @description Name of the external system. */
      external_system?: string | null;
      /** @description ID in the external system. */
      external_id?: string | null;
      /** @description Reference in the external system. */
      external_ref?: string | null;
      /** @description URL in the external system. */
      external_url?: string | null;
      /** @description An object with any keys, stored as it is. */
      payload?: {
        [key: string]: unknown;
      } | null;
      /** @description Assigned user, by id or e-mail; null for none. */
      assigned_to?: string | null;
      /** @description Its new status, if its state allows it. */
      status?: components["schemas"]["WorkOrderStatus"];
      /** @description All its lines. */
      devices?: components["schemas"]["WorkOrderPatchBodyDevice"][];
      /** @description User who acts, by id or e-mail; not needed with a user's own token. Without a user, the action has none. */
      user?: string;
    };
    WorkOrderPatchBodyDevice: {
      /** @description Device of the project, by id or key. */
      device_id: string;
      /** @description Component; by default the type of the device. */
      component?: components["schemas"]["Component"];
      /** @description Status of the line; if left out it stays as it is, at first pending. */
      status?: components["schemas"]["WorkOrderDeviceStatus"];
    };
    /**
     * @example {
     *       "issue_id": "01a1fe38-541b-70ad-b2cb-c9221f098df5",
     *       "title": "Change the cooling fan",
     *       "work_type": "corrective",
     *       "due_date": "2026-06-05T16:00:00+02:00"
     *     }
     */
    WorkOrderPostBody: {
      /** @description Active issue that it is under. */
      issue_id: string;
      /** @description Title. */
      title: string;
      /** @description Description. */
      description?: string | null;
      /** @description Priority; by default that of its issue. */
      priority?: components["schemas"]["Priority"];
      /** @description When the work is due: ISO 8601 with an offset. */
      due_date?: string | null;
      /** @description Type of work: corrective, preventive, predictive, inspection, emergency, cleaning, vegetation, warranty, upgrade, or any other text. */
      work_type?: string;
      /** @description Name of the external system. */
      external_system?: string | null;
      /** @description ID in the external system. */
      external_id?: string | null;
      /** @description Reference in the external system. */
      external_ref?: string | null;
      /** @description URL in the external system. */
      external_url?: string | null;
      /** @description An object with any keys, stored as it is. */
      payload?: {
        [key: string]: unknown;
      } | null;
      /** @description Assigned user, by id or e-mail; null for none. */
      assigned_to?: string | null;
      /**
       * @description Its first status.
       * @default open
       */
      status?: components["schemas"]["WorkOrderPostBodyStatus"];
      /** @description The devices to work on; by default those of the issue. */
      devices?: components["schemas"]["WorkOrderPostBodyDevice"][];
      /** @description User who acts, by id or e-mail; not needed with a user's own token. Without a user, the action has none. */
      user?: string;
    };
    WorkOrderPostBodyDevice: {
      /** @description Device of the project, by id or key. */
      device_id: string;
      /** @description Component; by default the type of the device. */
      component?: components["schemas"]["Component"];
    };
    /**
     * @description Its first status.
     * @default open
     * @enum {string}
     */
    WorkOrderPostBodyStatus: "draft" | "open" | "scheduled" | "in_progress" | "on_hold";
    /**
     * @description Status; completed and cancelled are final.
     * @enum {string}
     */
    WorkOrderStatus:
      | "draft"
      | "open"
      | "scheduled"
      | "in_progress"
      | "on_hold"
      | "completed"
      | "cancelled";
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
