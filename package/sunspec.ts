// Writes the table of SunSpec's models again, from a folder of their JSON (github: sunspec/models).
import { parseArgs } from "node:util";

/** A point of a model as SunSpec publishes it. */
type Point = {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly sf?: string | number;
  readonly units?: string;
  readonly symbols?: readonly { readonly name: string; readonly value: number }[];
};

/** Points that stand together, once or `count` times; 0: as often as the model's length allows. */
type Group = {
  readonly name: string;
  readonly count?: string | number;
  readonly points?: readonly Point[];
  readonly groups?: readonly Group[];
};

/** One line for a point: name, type, registers, scale factor, unit, names of codes or bits. */
function pointLine({ name, type, size, sf = "", units = "", symbols = [] }: Point): string {
  const codes = symbols.map((it) => `${it.name.replaceAll(" ", "_")}=${it.value}`).join(",");
  return [name, type, size, sf, units.replaceAll(" ", ""), codes].join(" ").trimEnd();
}

function groupLines({ points = [], groups = [] }: Group): string[] {
  return [
    ...points.map(pointLine),
    ...groups.flatMap((group) => [
      `{ ${group.name} ${group.count ?? 1}`,
      ...groupLines(group),
      "}",
    ]),
  ];
}

/** The facts of one model as a text of lines; what they mean is left to SunSpec's own pages. */
export function modelText(group: Group): string {
  return [group.name, ...groupLines(group)].join("\n");
}

if (import.meta.main) {
  const { positionals: [folder] } = parseArgs({ allowPositionals: true });
  const models: [number, string][] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (!/^model_\d+\.json$/.test(name)) continue;
    const { id, group } = JSON.parse(await Deno.readTextFile(`${folder}/${name}`));
    models.push([id, modelText(group)]);
  }
  const sorted = Object.fromEntries(models.sort(([a], [b]) => a - b));
  const path = new URL("../src/model/sources/sunspec_models.json", import.meta.url);
  await Deno.writeTextFile(path, JSON.stringify(sorted, null, 2) + "\n");
}
