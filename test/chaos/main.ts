/**
 * `npm run chaos -- --seed N --minutes M --executions K [--cluster]`: kills, stops, cuts and slows everything that
 * runs, while executions of many sorts run, and says what was lost, stuck, failed or doubled; exit code 1 if anything
 * was. With `--cluster` Temporal is a cluster of four services on Postgres, started by the script that
 * NOETL_CHAOS_CLUSTER_SCRIPT names, else a dev server.
 */
import fs from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { EXTRAS } from '../support/present';
import { chaos } from './chaos';
import { summary } from './report';

interface Given {
  readonly seed: string;
  readonly minutes: string;
  readonly executions: string;
  readonly rate: string;
  readonly cluster?: true;
  readonly clusterScript: string;
  readonly clusterPort: string;
  readonly histories: string;
  readonly keep?: true;
  readonly json?: string;
}

const program = new Command('chaos')
  .option('--seed <text>', 'repeats a schedule of faults', String(Math.floor(Math.random() * 1e6)))
  .option('--minutes <n>', 'during which everything is disturbed', '2')
  .option('--executions <n>', 'submitted meanwhile', '60')
  .option('--rate <n>', 'how often things go wrong: 1 is 11 kills a minute', '1')
  .option('--cluster', 'a real Temporal cluster on Postgres, instead of a dev server')
  .option(
    '--cluster-script <file>',
    'builds and starts it (NOETL_CHAOS_CLUSTER_SCRIPT)',
    process.env['NOETL_CHAOS_CLUSTER_SCRIPT'] ?? path.join(EXTRAS, 'temporal-cluster.sh'),
  )
  .option('--cluster-port <n>', 'of its frontend; the ten ports after it are used too', '27333')
  .option('--histories <folder>', 'keeps those of executions with violations', 'chaos-histories')
  .option('--keep', 'keeps the histories of all executions')
  .option('--json <file>', 'the report as JSON');

async function main(): Promise<void> {
  const given = program.parse().opts<Given>();
  if (given.cluster && !fs.existsSync(given.clusterScript)) {
    console.error(
      `there is no script ${given.clusterScript}: name one that starts a Temporal cluster with --cluster-script or NOETL_CHAOS_CLUSTER_SCRIPT, or leave out --cluster`,
    );
    process.exitCode = 2;
    return;
  }
  const report = await chaos({
    seed: given.seed,
    minutes: Number(given.minutes),
    executions: Number(given.executions),
    rate: Number(given.rate),
    clusterPort: Number(given.clusterPort),
    ...(given.cluster && { clusterScript: given.clusterScript }),
    histories: { folder: given.histories, all: given.keep === true },
    say: (line) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`),
  });
  if (given.json) fs.writeFileSync(given.json, JSON.stringify(report, null, 1));
  console.log(summary(report));
  if (report.violations.length > 0) process.exitCode = 1;
}

void main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
