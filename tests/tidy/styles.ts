// Rules of styles: all pages have one sheet, so that a class of one room must not reach another.
import type { Source } from "../help/source.ts";
import { type HouseRule, placeOf } from "./house.ts";

/** The class that each selector of a sheet begins with. */
function leadingClasses({ text }: Source): string[] {
  const heads = text.replaceAll(/\/\*[^]*?\*\//g, "").matchAll(/([^{};]+)\{/g);
  return [...heads].flatMap(([, head]) => head.replaceAll(/\([^)]*\)/g, "").split(","))
    .flatMap((selector) => /^\s*\.([\w-]+)/.exec(selector)?.[1] ?? []);
}

export const style_rules: readonly HouseRule[] = [
  {
    name: "a class begins selectors in the styles of one room",
    find: ({ css }) => {
      const sheets = css.filter(({ path }) => placeOf(path).floor === "web");
      const pairs = sheets.flatMap((sheet) =>
        leadingClasses(sheet).map((name) => ({ name, room: placeOf(sheet.path).room }))
      );
      return [...Map.groupBy(pairs, ({ name }) => name)]
        .map(([name, of]) => ({ name, rooms: new Set(of.map(({ room }) => room)) }))
        .filter(({ rooms }) => rooms.size > 1)
        .map(({ name, rooms }) => `.${name} in ${[...rooms].join(" and ")}`);
    },
    broken: {
      "src/web/parts/parts.css": ".a, .share { color: red }",
      "src/web/losses/losses.css": "@media print { .share i { color: blue } }",
    },
  },
];
