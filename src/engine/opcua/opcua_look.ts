// What is looked at of a server beside its values: its clock, its node ids, nodes that were meant.
import { meant } from "../../base/did_you_mean.ts";
import { source_limits } from "../../model/sources/limits.ts";
import type { SourceTools } from "../devices/driver.ts";
import { findNodes } from "./opcua_scan.ts";
import type { OpcuaSession, Publication } from "./opcua_session.ts";

/** The node of the server's clock. */
export const clock_node = "i=2258";

/** Notes by how much the server's clock is ahead or behind. */
export async function compareClocks(
  session: OpcuaSession,
  { state, effects }: Pick<SourceTools, "state" | "effects">,
): Promise<void> {
  const [{ value }] = await session.read([clock_node], "value");
  if (!(value?.value instanceof Date)) return;
  const ahead_ms = value.value.getTime() - effects.now_us() / 1000;
  if (Math.abs(ahead_ms) < source_limits.clock_told_ms) return;
  const size = Math.abs(ahead_ms) < 120_000
    ? `${Math.round(Math.abs(ahead_ms) / 1000)} s`
    : `${Math.round(Math.abs(ahead_ms) / 60_000)} min`;
  state.note(`the server's clock is ${size} ${ahead_ms > 0 ? "ahead of" : "behind"} this one`);
}

/** Hears what the server's clock shows when it sends something: 1601 where it says no time. */
export function hearClock(
  { sent_us }: Pick<Publication, "sent_us">,
  { state, effects }: Pick<SourceTools, "state" | "effects">,
): void {
  if (sent_us !== undefined && sent_us > 0) state.clock.heard(sent_us, effects.now_us());
}

/** A node id with the namespace's number at this server; undefined where it has no such. */
export function nodeAt(node: string, namespaces: readonly string[]): string | undefined {
  const [, uri, rest] = /^nsu=([^;]+);(.*)$/.exec(node) ?? [];
  if (uri === undefined) return node;
  const number = namespaces.indexOf(uri);
  return number < 0 ? undefined : `ns=${number};${rest}`;
}

/** Notes which nodes may have been meant by those that the server has not. */
export async function tellNearNodes(
  session: OpcuaSession,
  unknown: readonly { readonly tag: string; readonly node: string }[],
  { state }: Pick<SourceTools, "state">,
): Promise<void> {
  if (unknown.length === 0) return;
  const { nodes } = await findNodes(session, { most: source_limits.near_nodes });
  const known = nodes.map(({ node }) => node);
  for (const { tag, node } of unknown) {
    const near = meant(nodeAt(node, session.namespaces)!, known);
    state.note(`${tag} is not read: the server has no node ${node}${near}`);
  }
}
