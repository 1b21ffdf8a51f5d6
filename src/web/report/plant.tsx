// What the plant is, and when and by what the report was made.
import { at_ms, moment_minute_ms } from "../frame/clock.ts";
import { numberText, quantityText } from "../frame/number.ts";
import { devicesOf } from "../frame/plant.ts";
import { session, zone } from "../frame/session.ts";
import { longDateText, offsetText, timeText } from "../frame/zone.ts";
import { useVersion } from "./data.ts";
import { say } from "./say.ts";

/** The plant's inverters and power, and its storage where it has one. */
export function Plant() {
  const inverters = devicesOf("inverter");
  const storages = devicesOf("bess");
  const sum = (of: readonly (number | null)[]) =>
    of.reduce<number>((all, it) => all + (it ?? 0), 0);
  const rated = sum(inverters.map(({ rated_w }) => rated_w));
  const rated_dc = sum(inverters.map(({ rated_dc_w }) => rated_dc_w));
  const capacity = sum(storages.map(({ capacity_wh }) => capacity_wh));
  return (
    <p class="quiet">
      {say().plant_inverters(numberText(inverters.length), quantityText(rated, "W"))}
      {rated_dc > 0 && ` · ${say().plant_dc(quantityText(rated_dc, "W"))}`}
      {capacity > 0 && ` · ${say().plant_storage(quantityText(capacity, "Wh"))}`}
    </p>
  );
}

/** When it was made, for what moment, by whom and by which version. */
export function Made() {
  const now = moment_minute_ms.value;
  const { data: version } = useVersion();
  const instant = `${longDateText(now, zone.value)} ${timeText(now, zone.value)} ${
    offsetText(now, zone.value)
  }`;
  return (
    <footer class="quiet small">
      {at_ms.value === undefined ? say().made(instant) : say().made_for(instant)} ·{" "}
      {session.value?.name} · Wattkeeper {version ?? ""}
    </footer>
  );
}
