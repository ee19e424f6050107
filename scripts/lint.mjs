// Runs oxlint and compares what it finds with lint-suppressions.json: how often a file may break a rule. A file that
// breaks it more often fails; one that breaks it less often fails too, until `--prune` has written the lower number.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const baseline = path.join(root, 'lint-suppressions.json');
const oxlint = path.join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');

const { stdout, stderr } = spawnSync(process.execPath, [oxlint, '.', '--format=json'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 1 << 28,
});
if (!stdout.startsWith('{')) {
  process.stderr.write(stdout + stderr);
  process.exit(2);
}

/** Problems by `file` and `rule`. */
const problems = new Map();
for (const problem of JSON.parse(stdout).diagnostics) {
  // A file that cannot be parsed has no rule.
  const rule = problem.code?.replace(/^\w+\((.+)\)$/, '$1') ?? 'syntax';
  const key = `${problem.filename} ${rule}`;
  problems.set(key, [...(problems.get(key) ?? []), { ...problem, rule }]);
}

const allowed = JSON.parse(fs.readFileSync(baseline, 'utf8'));
const tooMany = [...problems].filter(([key, list]) => list.length > (allowed[key] ?? 0));
const fewer = Object.keys(allowed).filter((key) => (problems.get(key)?.length ?? 0) < allowed[key]);

for (const [key, list] of tooMany) {
  for (const { filename, labels, rule, message } of list) {
    const { line, column } = labels[0]?.span ?? { line: 1, column: 1 };
    console.log(`${filename}:${line}:${column} ${rule}: ${message}`);
  }
  if (allowed[key])
    console.log(`  ${allowed[key]} of these ${list.length} are allowed (lint-suppressions.json)`);
}
const isPruning = process.argv.includes('--prune');
if (fewer.length > 0 && isPruning) {
  const kept = Object.keys(allowed)
    .filter((key) => problems.has(key))
    .map((key) => [key, Math.min(allowed[key], problems.get(key).length)]);
  fs.writeFileSync(baseline, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
} else if (fewer.length > 0) {
  console.log(`Better than lint-suppressions.json says: ${fewer.join(', ')}. Run: npm run lint:prune`);
}
const isClean = tooMany.length === 0 && (isPruning || fewer.length === 0);
process.exit(isClean ? 0 : 1);
