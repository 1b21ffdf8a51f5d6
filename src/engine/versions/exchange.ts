// What a gateway and its centre say to each other of site files: versions one way, reports back.
import { Fault } from "../../base/fault.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { detailOf, jsonIn, strange_centre, waitReason } from "../../model/upstream/upstream.ts";
import {
  content_form,
  type PulledVersion,
  type SiteOffer,
  type VersionReport,
} from "../../model/upstream/version.ts";
import { unpackFile } from "../upstream/content.ts";
import type { Line } from "../upstream/line.ts";

/** The line, and what ends a question over it. */
export type Exchange = {
  readonly line: Pick<Line, "ask">;
  readonly signal: AbortSignal;
};

/** The version that a centre offers, whole. Throws a `Fault` where it does not come as it is. */
export async function pullVersion(
  { line, signal }: Exchange,
  offer: SiteOffer,
): Promise<Pick<PulledVersion, "content" | "digest">> {
  const { status, text } = await line.ask({
    path: `/ingest/v1/gateways/sites/${offer.version}`,
    search: { project_id: offer.project_id },
  }, signal);
  if (status !== 200) throw new Fault("unavailable", waitReason(status, detailOf(text)));
  const said = content_form.safeParse(jsonIn(text)).data;
  if (said === undefined) throw new Fault("unavailable", strange_centre);
  const packed = { content: said.content, digest: offer.digest };
  unpackFile(packed);
  return packed;
}

/** Tells a centre how its versions go. Throws a `Fault` where it is not heard. */
export async function tellVersions(
  { line, signal }: Exchange,
  { name, reports }: {
    /** The gateway's own. */
    readonly name: string;
    readonly reports: readonly { readonly offer: SiteOffer; readonly report: VersionReport }[];
  },
): Promise<void> {
  const news = reports.filter(({ offer, report }) => offer.told_us !== report.changed_us);
  for (const [project_id, own] of Map.groupBy(news, ({ offer }) => offer.project_id)) {
    const sites = own.slice(0, upstream_limits.offers).map(({ report }) => report);
    const { status, text } = await line.ask({
      path: "/ingest/v1/gateways/sites",
      search: { project_id },
      body: new TextEncoder().encode(JSON.stringify({ name, sites })),
      media_type: "application/json",
    }, signal);
    if (status !== 200) throw new Fault("unavailable", waitReason(status, detailOf(text)));
  }
}
