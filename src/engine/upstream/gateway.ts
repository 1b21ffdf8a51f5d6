// The gateways that a centre has heard of since its start: when, and how it goes with them.
import * as z from "zod";
import type { Effects } from "../../base/effects.ts";
import { limits } from "../../base/limits.ts";
import type { Grant } from "../../model/access/token.ts";
import { textUpTo } from "../../model/data/text_form.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { jsonIn } from "../../model/upstream/upstream.ts";

/** What a gateway says of itself. */
export const gateway_form = z.strictObject({
  name: textUpTo(limits.name_length).describe("The machine's own name."),
  version: textUpTo(limits.name_length).describe("Of the program."),
  lag_s: z.number().nonnegative().describe("Age of its oldest live row that waits."),
  waiting_rows: z.int().nonnegative().describe("Rows that wait to be forwarded."),
  lost_rows: z.int().nonnegative().describe("Rows that it had to drop before they were forwarded."),
});

/** The projects that the gateway's token can send to. */
export const targets_form = z.object({
  projects: z.array(z.object({ project_id: z.string(), key: z.string() })),
});

/** A project of the centre by its key; null where several in reach have it. */
export type Targets = ReadonlyMap<string, string | null>;

/** The projects in a centre's answer; undefined where it is none. */
export function targetsIn(text: string): Targets | undefined {
  const said = targets_form.safeParse(jsonIn(text)).data;
  if (said === undefined) return undefined;
  const by_key = Map.groupBy(said.projects, ({ key }) => key);
  return new Map(Array.from(by_key, ([key, [first, ...others]]) => [
    key,
    others.length > 0 ? null : first.project_id,
  ]));
}

/** A gateway as it was heard last; the instant in microseconds since 1970 UTC. */
export type HeardGateway = z.output<typeof gateway_form> & {
  readonly token_name: string;
  /** The projects of its token; null for all of an organization, or of every one. */
  readonly project_ids: readonly string[] | null;
  readonly organization_id: string | null;
  readonly heard_us: number;
};

/** In memory: each says it again within a minute. */
export class Gateways {
  readonly #effects: Pick<Effects, "now_us">;
  /** The one heard last is the last. */
  readonly #heard = new Map<string, HeardGateway>();

  constructor({ effects }: { readonly effects: Pick<Effects, "now_us"> }) {
    this.#effects = effects;
  }

  /** Notes what a gateway says. */
  hear(grant: Grant, facts: z.output<typeof gateway_form>): void {
    const { token_id, name: token_name, project_ids, organization_id } = grant;
    const key = `${token_id} ${facts.name}`;
    this.#heard.delete(key);
    const heard_us = this.#effects.now_us();
    this.#heard.set(key, { ...facts, token_name, project_ids, organization_id, heard_us });
    const [oldest] = this.#heard.keys();
    if (this.#heard.size > upstream_limits.gateways) this.#heard.delete(oldest);
  }

  /** All of them, the one heard last first. */
  list(): readonly HeardGateway[] {
    return [...this.#heard.values()].toReversed();
  }
}
