// How the versions of site files go that a centre publishes: at a gateway, or of one at the centre.
import { Listing } from "../parts/listing.tsx";
import { Ago } from "../parts/when.tsx";
import { say } from "./say.ts";

/** A site whose file comes from a centre. */
export type SiteState = {
  readonly site: string;
  readonly project_key?: string;
  readonly version: number;
  readonly state: "pulled" | "trying" | "in_force" | "replaced" | "rolled_back" | "refused";
  readonly reason: string | null;
  readonly in_force: number | null;
  readonly held_by: string | null;
  readonly changed_at: string;
  readonly missing?: string | null;
  readonly changed_here?: boolean;
};

const bad = ["rolled_back", "refused"];

/** A line a site; nothing where there is none. */
export function SiteStates({ sites }: { readonly sites: readonly SiteState[] }) {
  if (sites.length === 0) return null;
  return (
    <Listing
      label={say().site_files}
      columns={[
        { name: say().site_file },
        { name: say().newest_version, is_number: true },
        { name: say().version_in_force, is_number: true },
        { name: say().version_state },
      ]}
      rows={sites.map((site) => ({
        key: `${site.project_key ?? ""} ${site.site}`,
        cells: [
          site.site,
          `${site.version}`,
          site.in_force === null ? say().declared_there : `${site.in_force}`,
          <>
            <span class={bad.includes(site.state) ? "badge dead" : "badge"}>
              {stateText(site.state)}
            </span>{" "}
            <span class="quiet">
              <Ago at={site.changed_at} />
            </span>
          </>,
        ],
        below: toldOf(site),
      }))}
    />
  );
}

function stateText(state: SiteState["state"]): string {
  return state === "in_force" ? say().version_is_in_force : say()[`version_${state}`];
}

/** What a person should know of it; undefined for nothing. */
function toldOf({ reason, missing, held_by, changed_here }: SiteState) {
  const told = [
    reason ?? missing ?? "",
    held_by === null ? "" : say().held_by(held_by),
    changed_here ? say().changed_there : "",
  ].filter((text) => text !== "");
  return told.length === 0 ? undefined : <p>{told.join(" · ")}</p>;
}
