/**
 * Mutates src/engine/machine in slices (slice.mjs) and prints the killed mutants, file by file: `node run.mjs STRYKER
 * [SLICES]`. Each slice is a random sample of all mutants, so even a few slices estimate the score, with the
 * printed interval. A run resumes where the last one stopped; after a change delete coverage/mutation first.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { RESULTS, results, SLICES, VALID } from './slice.mjs';

const [stryker, wanted = SLICES] = process.argv.slice(2);
fs.mkdirSync('coverage/mutation', { recursive: true });
const done = () => results().flatMap((one) => (one.done ? [one.slice] : []));

for (let slice = 0; slice < Number(wanted); slice++) {
  if (done().includes(slice)) continue;
  const started = Date.now();
  const env = {
    ...process.env,
    // Few cases for property tests among the unit tests, because a surviving mutant runs all of them.
    PROPERTY_RUNS: '0.02',
    MUTATION_SLICE: String(slice),
    MUTATION_KNOWN: JSON.stringify(results().flatMap((one) => (one.slice === slice ? [one.key] : []))),
  };
  const stdio = ['ignore', process.stderr, process.stderr];
  const { status } = spawnSync(stryker, ['run', 'bench/mutation/stryker.config.mjs'], { env, stdio });
  if (status !== 0) throw new Error(`Stryker ended with ${status}`);
  const seconds = Math.round((Date.now() - started) / 1000);
  fs.appendFileSync(RESULTS, `${JSON.stringify({ slice, done: true, seconds })}\n`);
  console.error(`slice ${slice} of ${SLICES}: ${seconds} s`);
}

const complete = done();
const counted = results().filter((one) => one.key && complete.includes(one.slice));
const countOf = (mutants) =>
  VALID.map((status) => mutants.filter((mutant) => mutant.status === status).length);
const files = [...new Set(counted.map(({ file }) => file))].sort();
const rows = files.map((file) => [file, ...countOf(counted.filter((one) => one.file === file))]);

console.log('| file | killed | time limit | survived | not reached | share killed |');
console.log('| --- | ---: | ---: | ---: | ---: | ---: |');
for (const [file, ...counts] of [...rows, ['all', ...countOf(counted)]]) {
  const [killed, timeout, survived, missed] = counts;
  const share = (100 * (killed + timeout)) / (killed + timeout + survived + missed);
  console.log(`| ${[file, ...counts].join(' | ')} | ${share.toFixed(1)} % |`);
}

const [killed, timeout] = countOf(counted);
const p = (killed + timeout) / counted.length;
const margin = 1.96 * Math.sqrt(((p * (1 - p)) / counted.length) * (1 - complete.length / SLICES));
const between = [p - margin, p + margin].map((share) => (100 * share).toFixed(1)).join(' to ');
console.log(
  `\n${complete.length} of ${SLICES} slices, ${counted.length} mutants; 95 % interval ${between} %`,
);
