// Inverters: which of them makes less than it should, since when, and why.
import { Message } from "../parts/message.tsx";
import { Loaded } from "../parts/panel.tsx";
import { devicesOf, plant_load } from "../frame/plant.ts";
import { DeviceView } from "./device_view.tsx";
import { useMap } from "./map_data.ts";
import { MapPanel } from "./map_panel.tsx";
import { say } from "./say.ts";
import { Toolbar } from "./toolbar.tsx";
import { shownDevice, shownMeasure, shownRange } from "./view.ts";
import { Worst } from "./worst.tsx";

/** The map of all inverters, and the one that is looked at. */
export function InvertersPage() {
  if (!plant_load.value.data) return <Loaded of={plant_load.value}>{() => null}</Loaded>;
  if (devicesOf("inverter").length === 0) return <Message>{say().no_inverters}</Message>;
  return <Inverters />;
}

function Inverters() {
  const range = shownRange();
  const map = useMap(range, shownMeasure());
  const device = shownDevice();
  return (
    <div class={device ? "inverters with-device" : "inverters"}>
      <Toolbar range={range} />
      <MapPanel map={map} range={range} />
      {device
        ? <DeviceView key={device.device_id} {...{ device, range, map }} />
        : <Worst map={map} range={range} />}
    </div>
  );
}
