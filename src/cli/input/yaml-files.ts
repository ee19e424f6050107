/** Finds YAML files in a folder tree. */
import fs from 'node:fs';
import path from 'node:path';

/** More than any real project has; prevents scanning a whole disk. */
const MAX_FILES = 5_000;

/** The YAML files of a tree, by name, within the remaining budget; skips hidden folders and packages. */
export function* yamlFiles(folder: string, budget = { left: MAX_FILES }): Generator<string> {
  const entries = fs
    .readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
  for (const entry of entries) {
    if (budget.left <= 0) return;
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* yamlFiles(file, budget);
    else if (/\.ya?ml$/i.test(entry.name)) {
      budget.left -= 1;
      yield file;
    }
  }
}
