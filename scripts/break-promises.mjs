// Breaks promises of docs/guarantees.md on purpose, one at a time, and expects one of their tests to fail.
//   node scripts/break-promises.mjs [--count 20] [--seed N] [NUMBER …]
// Only the tests that prove the promise run, and only their failure counts: a suite that does not start proves nothing.
// The edits (test/support/promises.ts) are made in this checkout and taken back, also when it is interrupted.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { transformSync } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string' }, seed: { type: 'string', default: String(Date.now() % 100_000) } },
});

/** The table, which is TypeScript without imports. */
async function promises() {
  const source = fs.readFileSync(path.join(root, 'test/support/promises.ts'), 'utf8');
  const { code } = transformSync(source, { loader: 'ts', format: 'esm' });
  const { PROMISES } = await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
  return Object.entries(PROMISES).flatMap(([number, { broken, proofs }]) =>
    broken ? [{ number: Number(number), ...broken, titles: proofs[broken.failing] }] : [],
  );
}

/** Numbers in [0, 1), the same for a seed. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function drawn(all) {
  if (positionals.length > 0) return all.filter(({ number }) => positionals.includes(String(number)));
  const next = random(Number(values.seed));
  const mixed = all.map((one) => [next(), one]).sort(([a], [b]) => a - b);
  return mixed.slice(0, Number(values.count ?? all.length)).map(([, one]) => one);
}

function run(program, args) {
  const env = { ...process.env, NOETL_TEST_FAIL_FAST: '1' };
  return spawnSync(process.execPath, [path.join(root, program), ...args], {
    cwd: root,
    encoding: 'utf8',
    env,
  });
}

/** A pattern of the tests' full names; `%s` stands for what a table of tests inserts. */
function named(titles) {
  const pattern = (title) => title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/%[a-z]/g, '.+');
  return `(${titles.map(pattern).join('|')})$`;
}

/** Why the proofs do not notice; nothing if one of them fails. */
function unnoticed({ failing, titles }) {
  // Unit tests read the sources; the others run what is built.
  if (failing.startsWith('test/') && run('scripts/build.mjs', []).status !== 0) return 'it does not compile';
  const report = path.join(os.tmpdir(), `broken-promise-${process.pid}.json`);
  const tests = ['--runTestsByPath', failing, '-t', named(titles)];
  const jest = 'node_modules/jest/bin/jest.js';
  process.env.NOETL_TEST_NIGHTLY = '1';
  run(jest, ['-i', '--forceExit', '--json', '--outputFile', report, ...tests]);
  const { numFailedTests, numPassedTests } = JSON.parse(fs.readFileSync(report, 'utf8'));
  fs.rmSync(report);
  if (numFailedTests > 0) return undefined;
  return numPassedTests > 0 ? 'its tests pass' : 'its tests do not run';
}

function fails(one) {
  const place = path.join(root, one.file);
  const before = fs.readFileSync(place, 'utf8');
  const restore = () => fs.writeFileSync(place, before);
  process.once('exit', restore);
  try {
    fs.writeFileSync(
      place,
      before.replace(one.from, () => one.to),
    );
    return unnoticed(one);
  } finally {
    restore();
    process.off('exit', restore);
  }
}

process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
process.stdout.write(`seed ${values.seed}\n`);
let missed = 0;
for (const one of drawn(await promises())) {
  const began = Date.now();
  const why = fails(one);
  if (why) missed += 1;
  const seconds = Math.round((Date.now() - began) / 1000);
  process.stdout.write(
    `promise ${one.number}, broken in ${one.file}: ${why ?? 'its test fails'} (${seconds} s)\n`,
  );
}
run('scripts/build.mjs', []);
process.exitCode = missed === 0 ? 0 : 1;
