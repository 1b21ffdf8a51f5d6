// The functions that SQL of people may call: of values, of rows, and those that stand for a table.

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
export const functions: ReadonlySet<string> = new Set([...words(of_values), ...words(of_rows)]);

/** What may stand for a table; none reads one. */
export const table_functions: ReadonlySet<string> = new Set(["unnest", "generate_series", "range"]);
