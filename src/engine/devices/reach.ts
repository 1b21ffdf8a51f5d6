// Which addresses sources may reach: devices, but not this machine itself unless it is listed.
import type { Effects } from "../../base/effects.ts";
import { type Connect, LineFault } from "../../base/effects_line.ts";
import type { Settings } from "../../model/setting.ts";
import { deviceRefusal, parseNetworks } from "../../model/webhooks/address.ts";

/** Opens lines of sources, and looks whether a name leads to where one may be. */
export type SourceReach = {
  readonly connect: Connect;
  /** The addresses of a name; throws a `LineFault` (forbidden) where one must not be reached. */
  readonly vet: (host: string) => Promise<readonly string[]>;
};

/** What sources reach by the setting source_allow. */
export function sourceReachOf(
  { connect, resolve, addresses }: Pick<Effects, "connect" | "resolve" | "addresses">,
  { source_allow }: Pick<Settings, "source_allow">,
): SourceReach {
  const allowed = parseNetworks(source_allow);
  const refuse = (address: string) => {
    const refusal = deviceRefusal(address, { allowed, own: addresses() });
    return refusal && `${refusal}; the setting source_allow can list it`;
  };
  const vet = async (host: string) => {
    const found = await resolve(host.replace(/^\[(.*)\]$/, "$1"));
    for (const address of found) {
      const refusal = refuse(address);
      if (refusal !== undefined) throw new LineFault("forbidden", refusal);
    }
    return found;
  };
  return {
    vet,
    connect: async (place) => {
      await vet(place.host);
      return await connect({ ...place, refuse });
    },
  };
}
