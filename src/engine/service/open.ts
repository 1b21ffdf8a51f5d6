// The service's voice: subscriptions, the outbox, and whatever writes what others are told of.
import type { Alarms } from "../alarms/alarm.ts";
import { alarmWebhooks } from "../webhooks/alarm.ts";
import { Outbox } from "../webhooks/outbox.ts";
import { type SubscriptionParts, Subscriptions } from "../webhooks/subscription.ts";
import type { Watch } from "../rules/evaluator.ts";
import type { Work } from "../work/work.ts";

type Parts = SubscriptionParts & {
  readonly alarms: Alarms;
  readonly watch: Pick<Watch, "live">;
  /** Left out where no issue or work order is written. */
  readonly work?: Work;
};

/** Who is told of things, and through what. */
export type Voice = { readonly subscriptions: Subscriptions; readonly outbox: Outbox };

/** Opens it: from now on every write of alarms and of work tells who asked, in that write. */
export async function openVoice(parts: Parts): Promise<Voice> {
  const { database, catalog, effects, alarms, watch, work } = parts;
  const subscriptions = await Subscriptions.open(parts);
  const outbox = await Outbox.open({ database, subscriptions, effects });
  const live = (occurrence_no: number) => watch.live(occurrence_no);
  alarms.witness(alarmWebhooks(outbox, { catalog, live }));
  work?.mark(async ({ events }, write) => {
    const queued = await outbox.add(
      write,
      events.map(({ project_no, ...event }) => (
        { ...event, project: catalog.projectByNo(project_no)! }
      )),
    );
    return () => outbox.committed(queued);
  });
  return { subscriptions, outbox };
}
