// Alarms of a small plant with their nuisance marks, for tests below http.
import { Alarms } from "../../src/engine/alarms/alarm.ts";
import type { AlarmUnitOfWork } from "../../src/engine/alarms/unit_of_work.ts";
import { Nuisance } from "../../src/engine/alarms/nuisance.ts";
import type { OccurrenceDraft } from "../../src/model/alarms/alarm.ts";
import { listOccurrences, readTimelines } from "../../src/store/alarms/alarm.ts";
import { draftOf, eventOf, noon_us, second_us } from "./alarm.ts";
import { openPlant, type PlantDevice, type PlantTag } from "./plant.ts";

/** A draft that is raised so many seconds after noon. */
export type TimedDraft = Partial<OccurrenceDraft> & { readonly s: number };

/** Opens a plant of some devices and tags, its alarms and their marks. */
export async function openNuisance(
  devices: readonly PlantDevice[] = [],
  tags: readonly PlantTag[] = [],
) {
  const plant = await openPlant({ at: "2026-06-01T12:00:00Z", tags, devices });
  const link = async () => {
    const alarms = await Alarms.open(plant);
    const nuisance = await Nuisance.open(plant);
    alarms.mark((changes) => nuisance.mark(changes));
    return alarms;
  };
  let alarms = await link();
  let count = 0;
  const world = {
    ...plant,
    restart: async () => void (alarms = await link()),
    write: (work: (changes: AlarmUnitOfWork) => Promise<void>) => alarms.write(work),
    /** Raises alarms so many seconds after noon, in one write. */
    raise: (...drafts: readonly TimedDraft[]) =>
      alarms.write((changes) => {
        for (const { s, ...said } of drafts) {
          const raised_at = noon_us + s * second_us;
          const draft = draftOf({ occurrence_id: `a${++count}`, raised_at, ...said });
          changes.raise(draft, [eventOf("raised", { created_at: raised_at })]);
        }
        return Promise.resolve();
      }),
    list: async () => {
      const all = await plant.database.read((it) => listOccurrences(it, {}));
      return all.sort((a, b) => a.occurrence_no - b.occurrence_no);
    },
    marks: async () =>
      (await world.list()).map(({ is_flood, is_chattering }) =>
        `${is_flood ? "f" : ""}${is_chattering ? "c" : ""}` || "-"
      ).join(" "),
    details: async () => {
      const all = await world.list();
      const events = await plant.database.read((it) => readTimelines(it, all));
      return events.map(({ type, detail }) => `${type} ${detail}`);
    },
  };
  return world;
}
