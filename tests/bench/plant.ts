// The site file of the plant whose bodies `bodies.ts` makes.
import { inverters, measures, tagOf } from "./bodies.ts";

/** With sensors, each tag is a measure of its inverter; without, samples are only stored. */
export function plantText(
  { has_sensors, timezone }: { readonly has_sensors: boolean; readonly timezone: string },
): string {
  const head = `version = 1
[organization]
key = "bench"
name = "Bench"
[project]
key = "bench"
name = "Bench"
timezone = "${timezone}"
[site]
key = "s"
name = "Bench"
latitude = 39.3
longitude = -3.1
`;
  if (!has_sensors) return head;
  const devices = Array.from({ length: inverters }, (_, i) => {
    const sensors = Object.values(measures).map((measure, field) =>
      `[[sensors]]\ntag = "${tagOf(i, field)}"\ndevice = "INV${i}"\nmeasure = "${measure}"\n`
    );
    return `[[devices]]\nkey = "INV${i}"\ntype = "inverter"\n${sensors.join("")}`;
  });
  return head + devices.join("");
}
