// The courier of each kind of destination; what it needs is loaded with the first of its kind.
import { Fault } from "../../base/fault.ts";
import type {
  DestinationEntry,
  DestinationKind,
  DestinationOf,
} from "../../model/destinations/form.ts";
import type { Courier, CourierTools } from "./courier.ts";

type Open<K extends DestinationKind> = (
  entry: DestinationOf<K>,
  tools: CourierTools,
) => Promise<Courier>;

/** One that is missing fails the type check. */
const couriers: { readonly [K in DestinationKind]: Open<K> } = {
  async parquet_folder(entry, tools) {
    const [{ parquetCourier }, { folderStore }] = await Promise.all([
      import("./parquet.ts"),
      import("./object_store.ts"),
    ]);
    if (tools.folder === undefined) throw new Fault("conflict", no_folder);
    const store = folderStore(`${tools.folder}/${entry.folder}`);
    return parquetCourier(entry, { tools, store });
  },
  async parquet_s3(entry, tools) {
    const [{ parquetCourier }, { s3Store }] = await Promise.all([
      import("./parquet.ts"),
      import("./object_store.ts"),
    ]);
    return parquetCourier(entry, { tools, store: s3Store(entry, tools) });
  },
  async remote_write(entry, tools) {
    const { remoteWriteCourier } = await import("./remote_write.ts");
    return remoteWriteCourier(entry, tools);
  },
  async sparkplug(entry, tools) {
    const { sparkplugCourier } = await import("./edge_node.ts");
    return sparkplugCourier(entry, tools);
  },
  async mqtt(entry, tools) {
    const { mqttCourier } = await import("./mqtt.ts");
    return mqttCourier(entry, tools);
  },
};

/** Why no file can be written. */
export const no_folder =
  "no folder may be written: set destination_dir to the directory in which " +
  "destinations may write";

/** Makes the courier of a destination. */
export function openCourier(entry: DestinationEntry, tools: CourierTools): Promise<Courier> {
  const open = couriers[entry.kind] as Open<DestinationKind>;
  return open(entry, tools);
}
