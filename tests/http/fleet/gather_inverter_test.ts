// Availability and losses of inverters in several shards are one service's, to their last digit.
import { equal, notEqual } from "node:assert/strict";
import {
  availability_account,
  emptySums,
  loss_account,
} from "../../../src/engine/availability/answer.ts";
import type { Project, Site } from "../../../src/model/plant/plant.ts";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import { part_form } from "../../../src/wire/bytes/part.ts";
import { singleAndFleet } from "../../help/fleet.ts";
import { putDays, putInverters, type TestDay, type TestInverter } from "../../help/inverter_day.ts";
import type { TestService } from "../../help/service.ts";

const at = "2026-06-01T12:00:00Z";

/** Where each project lies: the first and the last in one shard. */
const shard_of = [1, 2, 3, 1];
const projects = shard_of.map((_, i): Project => ({
  ...{ project_no: i + 1, id: `p${i + 1}`, key: `key-${i + 1}`, name: "P", timezone: "UTC" },
  ...{ organization_id: "org", portfolio: null },
}));
const sites = projects.map(({ project_no }): Site => ({
  ...{ site_no: project_no, project_no, id: `s${project_no}`, key: `s${project_no}`, name: "S" },
  ...{ latitude: 40, longitude: -87.6 },
}));

/** Four a project, the second in a block; of one the capacity is not known. */
const inverters = Array.from({ length: 4 * projects.length }, (_, i): TestInverter => ({
  ...{ no: i + 1, project_no: 1 + Math.floor(i / 4), site_no: 1 + Math.floor(i / 4) },
  capacity: i === 6 ? null : 1e6 / (i + 3),
  ...(i % 4 === 1 && { block_id: `block-${i}` }),
}));

const [first_day, day_count] = [dayNumber("2026-04-01"), 45];

/** Days whose energies have all digits that there are; some have no account, some are missing. */
const days = inverters.flatMap(({ no }) =>
  Array.from({ length: day_count }, (_, i): TestDay => {
    const part = (n: number) => 1e6 * Math.abs(Math.sin(no * 7 + i * 3 + n)) ** 5;
    return {
      ...{ no, day: first_day + i, daylight_s: 36_000 + i, basis_s: 35_000 - 7 * no },
      ...{ unavailable_s: (i * no) % 700, unmeasured_wh: part(9) },
      ...((i + no) % 9 !== 2 && {
        ...{ expected_wh: part(0), produced_wh: part(1), unavailable_wh: part(2) },
        ...{ curtailed_wh: part(3), clipped_wh: part(4), grid_wh: part(5), snow_wh: part(6) },
      }),
    };
  }).filter((_, i) => (i * no) % 11 !== 3)
);

async function put({ services }: TestService, isOwn: (project_no: number) => boolean) {
  const own = inverters.filter(({ project_no }) => isOwn(project_no));
  const isOfOwn = ({ project_no }: { readonly project_no: number }) => isOwn(project_no);
  await putInverters(services.database, {
    ...{ projects: projects.filter(isOfOwn), sites: sites.filter(isOfOwn), inverters: own },
  });
  await putDays(services.database, days.filter(({ no }) => own.some((it) => it.no === no)));
  await services.catalog.reload();
}

const everywhere = projects.map(({ id }) => `project_ids=${id}`).join("&");
const asked = ["availability?include=known", "losses?include=causes"].flatMap((noun) =>
  ["Full", "OneMonth", "OneWeek", "OneDay"].flatMap((interval) =>
    ["block_id", "project_id", "hierarchy_id"].map((group) =>
      `/platform/v1/${noun}&${everywhere}&dt_start=2026-04-01&dt_end=2026-05-31` +
      `&time_interval=${interval}&group_by=${group}&format=csv`
    )
  )
);

Deno.test("sums of inverters in three shards have one service's digits", async () => {
  const added = (some: readonly TestDay[]) =>
    some.reduce((sum, { expected_wh = 0 }) => sum + expected_wh, 0);
  notEqual(added(days), added(days.toReversed()), "added up one by one, an order shows");
  const { single, fleet } = await singleAndFleet({ at, shard_of }, put);
  for (const path of asked) {
    const [wanted, said] = [await single.fetch(path), await fleet.fetch(path)];
    equal(wanted.status, 200, path);
    equal(await said.text(), await wanted.text(), path);
  }
  await fleet.close();
  await single.close();
});

Deno.test("whoever changes the sums that shards tell raises the form of parts", () => {
  const namesOf = (account: typeof loss_account) =>
    emptySums(account, { size: 1, is_plain: false }).map((it) => Object.keys(it.sums(1)).join());
  const wanted = Array(3 + 12).fill("total,total_rest");
  equal(part_form, 3);
  equal([...namesOf(availability_account), ...namesOf(loss_account)].join(" "), wanted.join(" "));
});
