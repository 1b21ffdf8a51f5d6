// Two organizations with subscriptions and an outbox, below http, for tests of who is told of what.
import { Catalog } from "../../src/engine/catalog/catalog.ts";
import { Outbox, type OutboxDraft } from "../../src/engine/webhooks/outbox.ts";
import { Subscriptions } from "../../src/engine/webhooks/subscription.ts";
import type { Plain } from "../../src/store/connection.ts";
import { Database } from "../../src/store/database.ts";
import { keepFacts } from "../../src/store/meta.ts";
import { fakeEffects } from "./effects.ts";
import { queryRows } from "./query.ts";

const tenants = `
  INSERT INTO organization VALUES ('org-a', 'a', 'A'), ('org-b', 'b', 'B');
  INSERT INTO project VALUES
    (1, 'project-1', 'org-a', 'one', 'One', NULL, 'UTC'),
    (2, 'project-2', 'org-a', 'two', 'Two', NULL, 'UTC'),
    (3, 'project-3', 'org-b', 'three', 'Three', NULL, 'UTC');
  INSERT INTO site VALUES (1, 'site-1', 1, 'here', 'Here', 0, 0), (2, 'site-2', 3, 'b', 'B', 0, 0)`;

/** What a request for a subscription of the first organization says, unless it says more. */
export function wanted(more: object = {}) {
  const target = "https://hooks.example.org/wattkeeper";
  return { name: "hook", organization: "a", target, event_types: ["*"], ...more };
}

/** Opens them over a new database, or over the one of a path. */
export async function openWebhooks({ path = ":memory:", settings = {} } = {}) {
  const { effects, clock } = fakeEffects();
  const database = await Database.open({ path, effects, threads: 1, memory_mb: 256 });
  database.vault.use(new Uint8Array(32));
  const [{ known }] = await database.read((it) =>
    queryRows(it, "SELECT count(*) AS known FROM project")
  );
  if (known === 0) {
    await database.write(async ({ connection }) => {
      await connection.script(tenants);
      await keepFacts(connection, { key: database.vault.key_id, sealing: null });
    });
  }
  const catalog = await Catalog.load(database);
  const given = { webhook_allow: "none", webhook_rotation_hours: 24, ...settings };
  const subscriptions = await Subscriptions.open({ database, catalog, effects, settings: given });
  const outbox = await Outbox.open({ database, subscriptions, effects });
  /** A draft of an event of the first project, what is not said being ordinary. */
  const draft = (more: Partial<OutboxDraft> = {}): OutboxDraft => ({
    type: "issue.updated",
    occurred_at: clock.now_us,
    project: catalog.project("project-1")!,
    data: '{"id":"issue-1"}',
    origin: null,
    ...more,
  });
  return {
    ...{ database, catalog, subscriptions, outbox, effects, clock, draft },
    rows: (sql: string) => database.read((it) => queryRows<Record<string, Plain>>(it, sql)),
    /** Stores events in a write of their own and tells who listens. */
    async tell(...drafts: readonly OutboxDraft[]) {
      const queued = await database.write((write) => outbox.add(write, drafts));
      outbox.committed(queued);
      return queued;
    },
  };
}
