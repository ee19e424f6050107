/** Before all tests: the settings of whoever runs them do not reach them, and the programs that they need are there. */
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const installPrograms = require('./programs.cjs');

/** What is about the machine, and what is for tests alone. */
const KEPT =
  /^NOETL_(TEST_|FUZZ_|CHAOS_|BENCH_|BULK_SIZE|SLOWEST|TRACE_HOSTS|PYTHON|CONTAINER_RUNTIME|CACHE)/;

/** Whether a folder could be made there. */
function isWritable(folder) {
  for (let one = folder; ; one = path.dirname(one)) {
    if (!fs.existsSync(one)) continue;
    try {
      // What may be written on a file system that is read-only, only an attempt tells.
      fs.rmdirSync(fs.mkdtempSync(path.join(one, '.noetl-')));
      return true;
    } catch {
      return false;
    }
  }
}

/** Where a home cannot be written, downloads are kept with the packages. */
function placeDownloads() {
  const usual =
    process.env.NOETL_CACHE_DIR ?? process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache');
  if (isWritable(usual)) return;
  const own = path.resolve(__dirname, '../../node_modules/.cache/noetl-temporal');
  process.env.NOETL_CACHE_DIR = own;
  process.env.NOETL_PYTHON_VENVS ??= path.join(own, 'venvs');
  // npm itself, which packs what is released.
  process.env.npm_config_cache = path.join(own, 'npm');
}

module.exports = function setup() {
  for (const name of Object.keys(process.env))
    if (/^(NOETL|TEMPORAL|OTEL|PG[A-Z])|^DATABASE_URL$/.test(name) && !KEPT.test(name))
      delete process.env[name];
  placeDownloads();
  installPrograms();
};
