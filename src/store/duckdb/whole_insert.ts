// An INSERT into a stored table, so that others see all of it or nothing.

/** What adds rows to a table that others read; the tables of `roll_` names are a session's own. */
const stored_insert = /^(?:--.*\n)*INSERT INTO (?!roll_)/;

/**
 * Lets others see all that an INSERT adds with its commit, and nothing before. Where it adds a row
 * group or more, DuckDB writes it by several threads, in pieces that belong to no
 * transaction, and those who read while it is committed may see some of them (1.5.5). One that
 * gives its rows back is written by one thread, in its transaction.
 */
export function wholeInsert(sql: string): string {
  const text = sql.trim();
  return stored_insert.test(text) ? `${text.replace(/;$/, "")}\nRETURNING NULL` : sql;
}
