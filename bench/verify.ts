/**
 * `verify`: how many mutants of the example playbooks it flags, and false alarms on rewrites that keep their meaning;
 * then the time and memory of 10,000 executions of 80 history events. Targets: 95 %, none, 60 s on two cores, memory
 * that does not grow with their number.
 *
 * `--mutants N`, `--executions N`, `--seed N`. `--truth N`: instead, N edits of each playbook, judged by what both versions
 * really do; `--folder F`: of these playbooks too. `--oracle N`: N playbooks of other features, with edits made for these, and faults
 * planted for `check --deep`.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { judgeMutants, judgeRewrites } from '../test/support/judge-mutants';
import {
  emptyTruth,
  generatedSubjects,
  judgeByTruth,
  rehearsalsOf,
  subjectsIn,
} from '../test/support/judge-truth';
import { PLAYBOOK, writeHistory } from './history';
import { judgeDeep } from './oracle/deep';
import { judgeForeign } from './oracle/judge';
import { benchServed } from './oracle/served';

export async function benchVerify(args: readonly string[]): Promise<void> {
  const flag = (name: string, otherwise: number): number => {
    const at = args.indexOf(`--${name}`);
    return at < 0 ? otherwise : Number(args[at + 1]);
  };
  if (args.includes('--served')) return await benchServed(flag('served', 10_000));
  if (args.includes('--oracle')) {
    judgeForeign(flag('oracle', 40), flag('seed', 1));
    judgeDeep(flag('oracle', 40), flag('seed', 1));
    return;
  }
  if (args.includes('--truth')) return judgeTruth(flag('truth', 30), flag('seed', 1), args);
  judgeEdits(flag('mutants', 200), flag('seed', 1));
  const executions = flag('executions', 10_000);
  for (const count of [executions / 10, executions]) verifyMany(count);
  await Promise.resolve();
}

function judgeEdits(count: number, seed: number): void {
  const mutants = judgeMutants(count, seed);
  const kinds = Object.entries(mutants.kinds).map(([kind, many]) => `${many} ${kind}`);
  console.log(
    `  ${mutants.flagged} of ${mutants.touched} mutants that recordings touch are flagged (${kinds.join(', ')})`,
  );
  for (const one of mutants.missed) console.log(`    not: ${one}`);
  const rewrites = judgeRewrites(count, seed);
  console.log(`  ${rewrites.alarms.length} false alarms on ${rewrites.count} rewrites`);
  for (const one of rewrites.alarms.slice(0, 20)) console.log(`    ${one}`);
}

function judgeTruth(edits: number, seed: number, args: readonly string[]): void {
  const folders = args.flatMap((arg, i) => (args[i - 1] === '--folder' ? [arg] : []));
  const sets = [
    ['examples', subjectsIn('playbooks')] as const,
    ['generated', generatedSubjects(10, seed)] as const,
    ...folders.map((folder) => [folder, subjectsIn(folder)] as const),
  ];
  for (const [name, subjects] of sets) {
    const tally = emptyTruth();
    for (const [i, subject] of subjects.entries()) judgeByTruth(tally, subject, edits, seed + i);
    const rehearsals = subjects.flatMap(rehearsalsOf);
    const failed = rehearsals.filter(Boolean);
    console.log(
      `  ${name}: ${rehearsals.length - failed.length} of ${rehearsals.length} unchanged runs pass as rehearsals`,
    );
    for (const one of failed.slice(0, 20)) console.log(`    fails: ${one.slice(0, 300)}`);
    const { changing, flagged, harmless, silent, unanswerable, alarms, unproven } = tally;
    const share = ((100 * flagged) / changing).toFixed(1);
    console.log(
      `  ${name}: ${flagged} of ${changing} changing edits flagged (${share} %), ${silent.length} silent, ${unanswerable.length} not answerable; ` +
        `${alarms.length} false alarms and ${unproven.length} not answerable on ${harmless} harmless ones`,
    );
    for (const [what, list] of Object.entries({ silent, unanswerable, alarms, unproven }))
      for (const one of list.slice(0, 40)) console.log(`    ${what}: ${one}`);
  }
}

const EVENTS = 80;

/** Runs the command in a process of its own, to measure all of it. */
function verifyMany(count: number): void {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-bench-'));
  try {
    const histories = path.join(folder, 'histories');
    fs.mkdirSync(histories);
    const first = path.join(histories, '0.json');
    const size = writeHistory(first, EVENTS);
    for (let i = 1; i < count; i++) fs.linkSync(first, path.join(histories, `${i}.json`));
    const [old, now] = [path.join(folder, 'old.yaml'), path.join(folder, 'new.yaml')];
    fs.writeFileSync(old, PLAYBOOK);
    fs.writeFileSync(now, PLAYBOOK.replace('code: result = n', 'code: result = n + 1'));
    const main = path.join(__dirname, '..', 'src', 'cli', 'main.js');
    const peak = path.join(folder, 'peak.cjs');
    fs.writeFileSync(
      peak,
      "process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS + '\\n'))",
    );
    const started = performance.now();
    const command = ['--require', peak, main, 'verify', old, now, histories, '--json'];
    const { stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8', maxBuffer: 1 << 28 });
    const seconds = (performance.now() - started) / 1000;
    const { counts } = JSON.parse(stdout) as { counts: object };
    const megabytes =
      Math.max(...[...stderr.matchAll(/peak (\d+)/g)].map(([, kilobytes]) => Number(kilobytes))) / 1024;
    console.log(
      `  ${count} executions of ${size} events in ${seconds.toFixed(1)} s, at most ${Math.round(megabytes)} MiB: ${JSON.stringify(counts)}`,
    );
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
