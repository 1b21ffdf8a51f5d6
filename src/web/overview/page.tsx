// The overview: what the plant does now, what is wrong, and where the day's energy went.
import { moment_minute_ms } from "../frame/clock.ts";
import { devices, devicesOf, plant_load } from "../frame/plant.ts";
import { say as frameSay } from "../frame/say.ts";
import { zone } from "../frame/session.ts";
import { dayOf } from "../frame/zone.ts";
import { Message, Pending } from "../parts/message.tsx";
import { EnergyAccount } from "./energy_account.tsx";
import { Figures } from "./figures.tsx";
import { Forecast } from "./forecast.tsx";
import { PowerChart } from "./power_chart.tsx";
import { say } from "./say.ts";
import { Storage } from "./storage.tsx";
import { Tiles } from "./tiles.tsx";
import { useAccountToday, useEnergyToday, useLastQuarter, usePowerToday } from "./today.ts";
import { Urgent } from "./urgent.tsx";

/** What a plant does now. */
export function OverviewPage() {
  if (plant_load.value.data && devices.value.length === 0) return <NoDevices />;
  return <Overview />;
}

/** What to do first where nothing is declared. */
function NoDevices() {
  return (
    <Message>
      <p>{say().no_devices}</p>
      <a href="/docs/guide/site">{frameSay().how_to_declare}</a>
    </Message>
  );
}

function Overview() {
  const power = usePowerToday();
  const energy = useEnergyToday();
  const quarter = useLastQuarter();
  const account = useAccountToday();
  const today = dayOf(moment_minute_ms.value, zone.value);
  return (
    <div class="overview">
      <Pending from={today} to={today} />
      <Figures {...{ power, energy, account }} />
      <PowerChart of={power} />
      <Urgent />
      <Tiles of={quarter} out_ids={account.data?.out_ids} />
      <EnergyAccount {...{ energy, account }} />
      <Forecast />
      {devicesOf("bess").length > 0 && <Storage />}
    </div>
  );
}
