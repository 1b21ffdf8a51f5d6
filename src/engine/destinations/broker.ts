// A connection to the broker of a destination, its address vetted first.
import type { DestinationOf } from "../../model/destinations/form.ts";
import type { BrokerEntry } from "../../model/sources/broker.ts";
import { LineFault as BrokenLine } from "../../base/effects_line.ts";
import type { MqttNote } from "../../wire/sources/mqtt_packet.ts";
import { SourceFault } from "../devices/driver.ts";
import { MqttClient } from "../devices/mqtt_client.ts";
import type { SessionEars } from "../devices/mqtt_session.ts";
import { LineFault } from "../upstream/line.ts";
import type { CourierTools } from "./courier.ts";

/** How a connection is to be. */
export type BrokerWish = {
  readonly will?: MqttNote;
  /** What is listened to. */
  readonly filters: readonly string[];
  readonly ears?: Partial<SessionEars>;
};

type Entry = DestinationOf<"mqtt" | "sparkplug">;

const deaf: SessionEars = { heard: () => {}, subscribed: () => {} };

/** Connects, and signs in. Throws a `LineFault`. */
export function openBroker(
  entry: Entry,
  { tools, wish: { ears, ...wish }, signal }: {
    readonly tools: CourierTools;
    readonly wish: BrokerWish;
    readonly signal: AbortSignal;
  },
): Promise<MqttClient> {
  const { effects, secrets, refuse } = tools;
  const { ca, ...place } = entry;
  const broker: BrokerEntry = place;
  const url = new URL(`http://${place.host.includes(":") ? `[${place.host}]` : place.host}`);
  const connect: CourierTools["effects"]["connect"] = (line) =>
    effects.connect({ ...line, refuse: refuse(url) });
  return throughBroker(() =>
    MqttClient.open(
      {
        ...{ entry: broker, session_s: 0, qos: 1, ...wish },
        ...(secrets.password !== undefined && { password: secrets.password }),
        ...(place.tls && { tls: { ...(ca !== undefined && { ca }) } }),
      },
      { ears: { ...deaf, ...ears }, effects: { ...effects, connect } },
      signal,
    )
  );
}

/** What goes wrong at a broker, as what is waited for. */
export async function throughBroker<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SourceFault || error instanceof BrokenLine)) throw error;
    const refused = error.message.includes("is not global") ? ": see destination_allow" : "";
    throw new LineFault(`the broker: ${error.message}${refused}`);
  }
}
