// What a question in SQL may say, checked on its parsed tree by what is known, not by what is not.
import { meant } from "../../base/did_you_mean.ts";
import { Fault } from "../../base/fault.ts";
import { query_limits } from "./limits.ts";
import type { ViewShape } from "./view.ts";

/** Functions of values; none reads anything but its arguments, or makes much out of little. */
const of_values = `
  + - * / // % ** ^ @ & | << >> ~ xor !__postfix ||
  ~~ !~~ ~~* !~~* ~~~ like_escape not_like_escape ilike_escape not_ilike_escape
  add subtract multiply divide mod abs ceil ceiling floor round round_even trunc sign sqrt cbrt
  exp ln log log2 log10 pow power pi degrees radians sin cos tan asin acos atan atan2 cot sinh cosh
  tanh even factorial fdiv fmod gcd lcm greatest least isnan isinf isfinite signbit width_bucket
  bit_count
  concat concat_ws lower lcase upper ucase length len char_length character_length strlen
  octet_length left right substr substring trim ltrim rtrim reverse replace translate instr strpos
  position starts_with ends_with prefix suffix contains split_part string_split split str_split
  string_to_array regexp_matches regexp_full_match regexp_extract regexp_extract_all regexp_replace
  regexp_split_to_array format printf chr ascii unicode ord levenshtein editdist3 jaccard
  jaro_similarity jaro_winkler_similarity damerau_levenshtein hamming strip_accents md5 sha256 hash
  now current_timestamp get_current_timestamp transaction_timestamp current_date today
  current_localtimestamp current_localtime age ago
  date_add date_diff datediff date_part datepart date_sub datesub date_trunc datetrunc time_bucket
  last_day make_date make_time make_timestamp make_timestamptz to_timestamp timezone strftime
  strptime try_strptime julian epoch epoch_ms epoch_us epoch_ns days_in_month
  century decade year isoyear quarter month monthname week weekofyear yearweek day dayname
  dayofmonth dayofweek weekday isodow dayofyear hour minute second millisecond microsecond era
  timezone_hour timezone_minute
  to_years to_quarters to_months to_weeks to_days to_hours to_minutes to_seconds to_milliseconds
  to_microseconds
  coalesce nullif ifnull if typeof error
  list_value list_pack list_extract list_element array_extract list_contains list_has list_position
  list_distinct list_sort list_reverse_sort list_reverse list_slice array_slice list_concat
  list_transform list_apply list_filter list_reduce list_aggregate list_sum list_avg list_min
  list_max list_count list_first list_last list_median array_length array_contains
  array_to_string generate_series range
  row struct_pack struct_extract map map_extract map_keys map_values element_at cardinality
  json json_extract json_extract_string json_extract_path json_extract_path_text json_array_length
  json_contains json_exists json_keys json_type json_valid json_value json_object json_array to_json
  -> ->> @> <@ &&
`;

/** Functions of many rows, and of the rows around one. */
const of_rows = `
  any_value arbitrary approx_count_distinct approx_quantile arg_max argmax max_by arg_min argmin
  min_by array_agg avg mean bit_and bit_or bit_xor bool_and bool_or corr count count_star count_if
  countif covar_pop covar_samp entropy favg first fsum geomean geometric_mean histogram kahan_sum
  kurtosis last list mad max median min mode product quantile quantile_cont quantile_disc regr_avgx
  regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy sem skewness
  stddev stddev_pop stddev_samp string_agg group_concat listagg sum sumkahan var_pop var_samp
  variance wavg weighted_avg grouping
  cume_dist dense_rank rank rank_dense row_number percent_rank ntile lag lead first_value last_value
  nth_value fill unnest
`;

const words = (text: string) => text.trim().split(/\s+/);

/** What may be called within an expression. */
const functions: ReadonlySet<string> = new Set([...words(of_values), ...words(of_rows)]);

/** What may stand for a table; none reads one. */
const table_functions: ReadonlySet<string> = new Set(["unnest", "generate_series", "range"]);

/** A node of a tree as the library writes it. */
export type Tree = Readonly<Record<string, unknown>>;

/** Views by their name. */
export type Views = ReadonlyMap<string, ViewShape>;

/** What a part of a query may be called: outside of its scope it must not name a file. */
const part_name = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * The one SELECT of a parsed text, checked. Its parts may have no name that is `taken` by something
 * of the database itself: outside of its scope, a part's name means that. Throws a `Fault`
 * (invalid) with what is there.
 */
export function checkedSelect(
  parsed: Tree,
  { views, taken }: { readonly views: Views; readonly taken: ReadonlySet<string> },
): Tree {
  const statements = parsed.statements as readonly Tree[] | undefined;
  if (parsed.error === true || statements?.length !== 1) throw notOne(parsed);
  const nodes = nodesOf(statements[0]);
  const named = new Set(nodes.flatMap((node) => namesIn(node.cte_map)));
  for (const name of named) {
    if (views.has(name)) throw refused(`${name} is a view: name the part of the query otherwise`);
    if (!part_name.test(name) || taken.has(name)) {
      throw refused(`${shown(name)} can't name a part of the query: give a word of its own`);
    }
  }
  for (const node of nodes) {
    requireKnown(node);
    if (node.type === "BASE_TABLE") requireTable(node, { named, views });
    if (node.type === "SHOW_REF") requireShown(node, views);
  }
  return statements[0];
}

/** Every node of a tree, itself among them. */
export function nodesOf(value: unknown): readonly Tree[] {
  const nodes: Tree[] = [];
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    if (!Array.isArray(next)) nodes.push(next as Tree);
    waiting.push(...Object.values(next));
  }
  return nodes;
}

/** The names that a query gives to parts of itself, in lower case; they count in all of it. */
function namesIn(cte_map: unknown): readonly string[] {
  const entries = (cte_map as { readonly map?: readonly { readonly key: string }[] })?.map ?? [];
  return entries.map(({ key }) => key.toLowerCase());
}

const expressions = new Set([
  ...["BETWEEN", "CASE", "CAST", "COLLATE", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT"],
  ...["FUNCTION", "LAMBDA", "OPERATOR", "STAR", "SUBQUERY", "WINDOW"],
]);

const parts = new Set([
  ...["SELECT_NODE", "SET_OPERATION_NODE", "BASE_TABLE", "JOIN", "SUBQUERY", "TABLE_FUNCTION"],
  ...["EXPRESSION_LIST", "EMPTY", "SHOW_REF"],
  ...["LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "ORDER_MODIFIER", "DISTINCT_MODIFIER"],
  ...["ORDER_DEFAULT", "ASCENDING", "DESCENDING"],
]);

/** What people may call what is refused. */
const refused_words: Readonly<Record<string, string>> = {
  PARAMETER: "a parameter such as ? or $1",
  POSITIONAL_REFERENCE: "a column by its number such as #1",
  RECURSIVE_CTE_NODE: "WITH RECURSIVE",
  PIVOT: "PIVOT or UNPIVOT",
  DEFAULT: "DEFAULT",
};

function requireKnown(node: Tree): void {
  const { class: kind, type } = node;
  if (typeof kind === "string") {
    if (!expressions.has(kind)) throw unknown(kind);
    if (typeof node.function_name === "string") requireFunction(node);
    if (kind === "COLUMN_REF") requireColumn(node);
  } else if (typeof type === "string" && !parts.has(type) && !type.endsWith("_TYPE_INFO")) {
    throw unknown(type);
  }
  if (node.type === "TABLE_FUNCTION") requireTableFunction(node);
}

/** Words that are functions where no column has their name; they tell of the database. */
const inner_words = /^(current_(user|role|catalog|schema|database)|session_user|user)$/i;

function requireColumn({ column_names }: Tree): void {
  const [name, ...more] = column_names as readonly string[];
  if (more.length === 0 && inner_words.test(name)) throw unknown(name);
}

function unknown(word: string): Fault {
  return refused(`${refused_words[word] ?? word.toLowerCase()} can't be used here`);
}

function requireFunction({ function_name, schema, catalog }: Tree): void {
  const name = String(function_name).toLowerCase();
  // The parser itself names the schema of some.
  if (functions.has(name) && (!schema || schema === "main") && !catalog) return;
  const full = [catalog, schema, name].filter((part) => part).join(".");
  throw refused(`${full} can't be used here${meant(full, functions)}`);
}

function requireTableFunction(node: Tree): void {
  const { function_name, schema, catalog } = node.function as Tree;
  const name = String(function_name).toLowerCase();
  if (table_functions.has(name) && !schema && !catalog) return;
  const known = [...table_functions].join(", ");
  throw refused(`${name} can't be read from: only views can, and ${known}`);
}

function requireTable(
  { table_name, schema_name, catalog_name, at_clause }: Tree,
  { named, views }: { readonly named: ReadonlySet<string>; readonly views: Views },
): void {
  const name = String(table_name).toLowerCase();
  if (catalog_name || schema_name) throw refused(`name the view alone: ${shown(name)}`);
  if (at_clause) throw refused(`${shown(name)} is there as it is now: leave AT out`);
  if (!named.has(name) && !views.has(name)) throw noView(name, views);
}

function noView(name: string, views: Views): Fault {
  const known = [...views.keys()];
  return refused(
    `there is no view ${shown(name)}${meant(name, known)}; there are ${known.join(", ")}`,
  );
}

/** DESCRIBE and SUMMARIZE of a view or a query, and SHOW TABLES. */
function requireShown({ table_name, query, ...place }: Tree, views: Views): void {
  const name = String(table_name ?? "").toLowerCase().replace(/^"(.*)"$/, "$1");
  const isPlain = !place.catalog_name && !place.schema_name;
  if (isPlain && (query ? name === "" : name === "tables" || views.has(name))) return;
  throw name === "" ? refused("give SHOW TABLES, or DESCRIBE and a view") : noView(name, views);
}

function notOne({ error_type, error_message }: Tree): Fault {
  const said = String(error_message ?? "");
  if (said.startsWith("Max expression depth")) return refused("the query nests too deeply");
  if (error_type !== "parser") {
    return refused("give one SELECT: views are read here, and nothing is changed");
  }
  const [slip] = said.split("\n");
  const near = /at or near "(\w+)"/.exec(slip)?.[1];
  return refused(slip + (near === undefined ? "" : meant(near, mistyped)));
}

/** Words of SQL in whose place a slip is an error of syntax. */
const mistyped = [
  "SELECT",
  "WHERE",
  "GROUP",
  "HAVING",
  "ORDER",
  "LIMIT",
  "WITH",
  "DESCRIBE",
  "SHOW",
];

function shown(name: string): string {
  return name.slice(0, query_limits.name_length);
}

function refused(message: string): Fault {
  return new Fault("invalid", message);
}
