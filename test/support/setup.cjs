/** Before all tests: the settings of whoever runs them do not reach them, and the programs that they need are there. */
const installPrograms = require('./programs.cjs');

/** What is about the machine, and what is for tests alone. */
const KEPT =
  /^NOETL_(TEST_|FUZZ_|CHAOS_|BENCH_|BULK_SIZE|SLOWEST|TRACE_HOSTS|PYTHON|CONTAINER_RUNTIME|CACHE)/;

module.exports = function setup() {
  for (const name of Object.keys(process.env))
    if (/^(NOETL|TEMPORAL|OTEL|PG[A-Z])|^DATABASE_URL$/.test(name) && !KEPT.test(name))
      delete process.env[name];
  installPrograms();
};
