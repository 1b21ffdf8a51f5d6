// The overview: what the plant does now, what is wrong, and where the day's energy went.
import { devicesOf } from "../frame/plant.ts";
import { EnergyAccount } from "./energy_account.tsx";
import { Figures } from "./figures.tsx";
import { Forecast } from "./forecast.tsx";
import { PowerChart } from "./power_chart.tsx";
import { Storage } from "./storage.tsx";
import { Tiles } from "./tiles.tsx";
import { useAccountToday, useEnergyToday, useLastQuarter, usePowerToday } from "./today.ts";
import { Urgent } from "./urgent.tsx";

/** What a plant does now. */
export function OverviewPage() {
  const power = usePowerToday();
  const energy = useEnergyToday();
  const quarter = useLastQuarter();
  const account = useAccountToday();
  return (
    <div class="overview">
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
