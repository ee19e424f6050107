// Preloaded (NODE_OPTIONS=--require) into a worker: kills it the moment a large value is stored, before Temporal hears
// of it. Once: CRASH_MARKER names a file that says it has happened.
const fs = require('node:fs');
const files = require('node:fs/promises');

const rename = files.rename;
files.rename = async (from, to) => {
  await rename(from, to);
  const marker = process.env.CRASH_MARKER;
  if (!/\/wi\/noetl-\d+\/d\/sha256\/[0-9a-f]{64}$/.test(to) || fs.existsSync(marker)) return;
  fs.writeFileSync(marker, to);
  process.kill(process.pid, 'SIGKILL');
};
