// Ties a service to its centre or its gateways: how rules are judged, and where site files lie.
import type { Effects } from "../../base/effects.ts";
import type { Settings } from "../../model/setting.ts";
import { keepFacts } from "../../store/meta.ts";
import { has_centre_fact, readJudging } from "../../store/upstream/gateway.ts";
import type { Access } from "../access/access.ts";
import type { Log } from "../core/log.ts";
import type { Loop } from "../core/loop.ts";
import { followRules, rejudge } from "../rules/follow.ts";
import type { SiteParts } from "../site/site.ts";
import type { Sources } from "../sources/sources.ts";
import { type Gateways, lateLoop } from "../upstream/gateway.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { Work } from "../work/work.ts";
import { PublishedSites } from "../versions/published.ts";
import { PulledSites } from "../versions/pulled.ts";

type PeerParts =
  & Parameters<typeof lateLoop>[0]
  & Parameters<typeof rejudge>[0]
  & Omit<SiteParts, "effects" | "follow">
  & {
    readonly access: Access;
    readonly gateways: Gateways;
    readonly upstream: Upstream;
    readonly work: Work;
    readonly sources: Sources;
    readonly effects: Effects;
    readonly settings: Pick<Settings, "upstream_trial_s">;
    readonly log: Log;
  };

/** Ties them, now and from now on; `late` looks at what gateways told late. */
export async function openPeers(parts: PeerParts) {
  return { late: await openJudging(parts), ...await openVersions(parts) };
}

/** How the plant is changed, also by site files that gateways pull here, or that come from one. */
async function openVersions(parts: PeerParts) {
  const { upstream, sources } = parts;
  /** What goes with a change of rules or of the plant. */
  const follow = sources.following(followRules(parts));
  const all = { ...parts, follow };
  const pulled_sites = await PulledSites.open(all);
  upstream.onOffers = (offers, exchange) => pulled_sites.meet(offers, exchange);
  pulled_sites.onChange = () => upstream.meetSoon();
  return { follow, pulled_sites, published_sites: new PublishedSites(all) };
}

/** Lets rules be judged as by a service that has a centre, or gateways, or none. */
async function openJudging({ upstream, ...parts }: PeerParts): Promise<Loop> {
  const { gateways, evaluator, work } = parts;
  gateways.onPeers = (change) => rejudge(parts, change);
  evaluator.newsOf = (place, options) => gateways.newsOf(place, options);
  const follow = async (has_centre: boolean) => {
    work.has_centre = has_centre;
    const { has_centre: before } = await parts.database.read(readJudging);
    if (before === has_centre) return;
    await rejudge(
      parts,
      (connection) => keepFacts(connection, { [has_centre_fact]: has_centre ? 1 : null }),
    );
  };
  await follow(upstream.has_centre);
  upstream.onCentre = follow;
  return lateLoop(parts);
}
