// The gateways of a centre: when each was heard, which are away, how its site files go.
import { getJson } from "../frame/api.ts";
import { useLoad } from "../frame/load.ts";
import { moment_ms } from "../frame/clock.ts";
import { lagText, numberText } from "../frame/number.ts";
import { Listing } from "../parts/listing.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Ago } from "../parts/when.tsx";
import { say } from "./say.ts";
import { type SiteState, SiteStates } from "./site_states.tsx";

type Gateway = {
  readonly name: string;
  readonly token_name: string;
  readonly version: string;
  readonly lag_s: number;
  readonly waiting_rows: number;
  readonly lost_rows: number;
  readonly heard_at: string;
  readonly is_away: boolean;
  readonly away_reason: string | null;
  readonly sites: readonly SiteState[];
};

const refresh_ms = 10_000;

/** The section. */
export function Gateways() {
  const gateways = useLoad(
    [],
    (_, signal) => getJson<readonly Gateway[]>("/platform/v1/gateways", {}, signal),
    { refresh_ms },
  );
  return (
    <Panel title={say().gateways}>
      <Loaded of={gateways} isEmpty={({ length }) => length === 0} empty={say().no_gateway}>
        {(gateways) => (
          <Listing
            label={say().gateways}
            columns={[
              { name: say().gateway },
              { name: say().heard_last },
              { name: say().behind, is_number: true },
              { name: say().waiting_rows, is_number: true },
              { name: say().lost_rows, is_number: true },
            ]}
            rows={gateways.map((gateway) => ({
              key: `${gateway.token_name} ${gateway.name}`,
              cells: [
                `${gateway.token_name} (${gateway.name})`,
                <>
                  <Ago at={gateway.heard_at} />{" "}
                  <span
                    class={gateway.is_away ? "badge dead" : "badge"}
                    title={gateway.away_reason ?? undefined}
                  >
                    {gateway.is_away ? say().is_away : say().line_up}
                  </span>
                </>,
                behindText(gateway),
                least(gateway, numberText(gateway.waiting_rows)),
                numberText(gateway.lost_rows),
              ],
              below: gateway.sites.length > 0 ? <SiteStates sites={gateway.sites} /> : undefined,
            }))}
          />
        )}
      </Loaded>
    </Panel>
  );
}

/** How far behind it is; one that is away is so by the time since it was heard, too. */
function behindText(gateway: Gateway): string {
  const silent_s = (moment_ms.value - Date.parse(gateway.heard_at)) / 1000;
  const lag_s = gateway.lag_s + (gateway.is_away ? Math.max(0, silent_s) : 0);
  return least(gateway, lagText(lag_s));
}

/** Of one that is away nothing is known but what it told last. */
function least({ is_away }: Gateway, text: string): string {
  return is_away ? `≥ ${text}` : text;
}
