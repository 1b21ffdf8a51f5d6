// Loads DuckDB's library from where the compiled program unpacked it.
const { library } = require("../src/store/library.ts");

module.exports = require(`${library.folder}/duckdb.node`);
