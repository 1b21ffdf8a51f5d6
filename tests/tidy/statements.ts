// Rules of statements: where they stand, how they are named, how they are written.
import { type HouseRule, importPairs, offences } from "./house.ts";

/** A longer statement has a file of its own; the test of statements looks for those. */
const inline_lines = 8;

/** The last word of a statement's file: what it does. */
const verbs = new Set([
  ...["list", "find", "read", "get", "count", "sum", "load", "print", "replay"],
  ...["make", "insert", "update", "change", "merge", "delete", "drop", "move", "settle"],
  ...["mark", "touch", "carry", "grow", "pick", "plan", "hash", "integrate", "transpose"],
]);

const glued = /`[^`]*\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ATTACH|COPY)\b[^`]*\$\{/;

const words = "select|from|where|group by|order by|insert into|with|join|on|as|and|or|union all";
const keyword = new RegExp(`(?<![\\w".$])(${words})(?![\\w"(])`);

export const statement_rules: readonly HouseRule[] = [
  {
    name: "a statement's file lies beside its only reader",
    find: ({ code, sql }) => {
      const pairs = importPairs(code);
      return sql.flatMap(({ path }) => {
        const readers = pairs.filter(([, whom]) => whom === path).map(([who]) => who);
        const folder = path.replace(/\/[^/]*$/, "");
        const fits = path.includes("/migrations/") ||
          readers.length === 1 && readers[0].replace(/\/[^/]*$/, "") === folder;
        return fits ? [] : [`${path} is read by ${readers.join(", ") || "nobody"}`];
      });
    },
    broken: {
      "src/store/work/a.ts": 'import sql from "../rules/rule_list.sql" with { type: "text" };\n',
      "src/store/rules/rule_list.sql": "-- Lists.\n",
    },
  },
  {
    name: `a statement of at most ${inline_lines} lines stands in its reader`,
    find: ({ sql }) =>
      sql.filter(({ path, lines }) =>
        !path.includes("/migrations/") &&
        lines.filter((line) => !/^\s*(--|$)/.test(line)).length <= inline_lines
      ).map(({ path }) => path),
    broken: { "src/store/work/issue_list.sql": "-- Lists issues.\nSELECT 1;\n" },
  },
  {
    name: "a statement's name says its noun and, last, its verb",
    find: ({ sql }) =>
      sql.map(({ path }) => path).filter((path) => !path.includes("/migrations/"))
        .filter((path) => !verbs.has(/([a-z]+)\.sql$/.exec(path)?.[1] ?? "")),
    broken: { "src/store/work/issues.sql": "-- Lists issues.\nSELECT 1;\n" },
  },
  {
    name: "a statement stands whole in its file or line, never glued",
    find: ({ code, sql }) => [
      ...offences(code, (line) => glued.exec(line)?.[1]),
      ...sql.filter(({ path }) => !path.includes("/migrations/"))
        .filter(({ text }) =>
          text.replaceAll(/--.*|'[^']*'/g, "").trim().replace(/;$/, "").includes(";")
        ).map(({ path }) => path),
    ],
    broken: { "src/store/work/a.ts": "const sql = `SELECT ${b}`;\n" },
  },
  {
    name: "SQL keywords are upper case",
    find: ({ sql }) =>
      offences(
        sql,
        (line) => keyword.exec(line.replace(/--.*/, "").replaceAll(/'[^']*'/g, ""))?.[0],
      ),
    broken: { "src/store/work/issue_list.sql": "select 1;\n" },
  },
];
