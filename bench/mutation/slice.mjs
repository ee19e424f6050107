/**
 * Stryker plugins for run.mjs. A checker selects a tenth of the mutants by a digest of their description: each
 * slice is a random sample, and together they are all mutants. A reporter records each result immediately, and
 * recorded mutants are not tested again.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** One if few files are mutated: all at once. */
export const SLICES = Number(process.env.MUTATION_SLICES ?? 10);
export const RESULTS = 'coverage/mutation/results.jsonl';
export const VALID = ['Killed', 'Timeout', 'Survived', 'NoCoverage'];

export function results() {
  if (!fs.existsSync(RESULTS)) return [];
  const lines = fs.readFileSync(RESULTS, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

/** `rules/ask.ts`: as in the tables. */
const fileOf = (fileName) => fileName.replaceAll(path.sep, '/').split('src/engine/machine/').at(-1);

/** @param first number of the first line and column: 0 in Stryker itself, 1 in its reports */
function keyOf({ fileName, location, mutatorName, replacement }, first) {
  const place = [location.start, location.end].map(({ line, column }) => `${line - first}:${column - first}`);
  return JSON.stringify([fileOf(fileName), place.join('-'), mutatorName, replacement]);
}

const sliceOf = (key) => createHash('sha256').update(key).digest().readUInt32BE() % SLICES;

class Slice {
  slice = Number(process.env.MUTATION_SLICE);
  known = new Set(JSON.parse(process.env.MUTATION_KNOWN ?? '[]'));

  async init() {}

  async check(mutants) {
    const isNew = (key) => sliceOf(key) === this.slice && !this.known.has(key);
    const resultOf = (mutant) =>
      isNew(keyOf(mutant, 0)) ? { status: 'passed' } : { status: 'compileError', reason: 'not in this run' };
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, resultOf(mutant)]));
  }

  async group(mutants) {
    return [mutants.map(({ id }) => id)];
  }
}

class Notes {
  onMutantTested(mutant) {
    const { status, replacement, location, coveredBy } = mutant;
    if (!VALID.includes(status)) return;
    const slice = Number(process.env.MUTATION_SLICE);
    const file = fileOf(mutant.fileName);
    const note = {
      slice,
      key: keyOf(mutant, 1),
      file,
      status,
      location,
      replacement,
      tests: coveredBy?.length,
    };
    fs.appendFileSync(RESULTS, `${JSON.stringify(note)}\n`);
  }
}

export const strykerPlugins = [
  { kind: 'Checker', name: 'slice', injectableClass: Slice },
  { kind: 'Reporter', name: 'notes', injectableClass: Notes },
];
