/**
 * `npm run upgrade -- --from RELEASE`: this tree and an older release (a tag or commit, a tarball, `noetl-temporal@VERSION`)
 * replay each other's histories, and serve the same executions in turn; exit code 1 if anything fails, repeats or diverges.
 * `--once` replaces each process of the older release once. `--rolling stop|kill` restarts the processes of this tree one
 * after the other instead.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Command, Option } from 'commander';
import { divergences, goldenConverter, goldenHistories } from './replay';
import { installRuntime } from '../../src/temporal/worker';
import {
  builtRelease,
  FORMER,
  installedRelease,
  isPackage,
  present,
  type Release,
  removeRelease,
  sharesSchema,
} from './releases';
import { upgrade, type UpgradeReport } from './upgrade';

interface Given {
  readonly from: string;
  readonly seconds: string;
  readonly executions: string;
  readonly every: string;
  readonly once?: boolean;
  readonly rolling?: 'stop' | 'kill';
}

const say = (line: string): void => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);

async function main(): Promise<void> {
  const given = new Command('upgrade')
    .option('--from <release>', 'the older one: a tag, commit, tarball, or noetl-temporal@VERSION', FORMER)
    .option('--seconds <n>', 'during which processes are swapped', '60')
    .option('--executions <n>', 'submitted meanwhile', '60')
    .option('--every <n>', 'seconds from one process to the next', '2')
    .option('--once', 'replace each process of the older release once, instead of back and forth')
    .addOption(new Option('--rolling <how>', 'restart this release only').choices(['stop', 'kill']))
    .parse()
    .opts<Given>();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-upgrade-'));
  fs.chmodSync(folder, 0o755); // as root, Postgres runs as its own user
  installRuntime();
  const former = given.rolling ? undefined : built(given.from, folder);
  const releases = former ? [former, present] : [present];
  const found: string[] = [];
  try {
    if (former && !sharesSchema(former))
      say(
        `${former.name} refuses the schema of this release: facades and projection are of this release only`,
      );
    if (former) found.push(...(await goldenBothWays(former)));
    const report = await upgrade({
      ...{ releases, folder, say, by: given.rolling ?? 'stop', once: given.once },
      ...{ seconds: Number(given.seconds), executions: Number(given.executions), every: Number(given.every) },
    });
    found.push(...report.violations);
    console.log(summary(releases, report, found));
  } finally {
    if (former) removeRelease(former);
  }
  if (found.length > 0) process.exitCode = 1;
  else fs.rmSync(folder, { recursive: true, force: true });
}

function built(release: string, folder: string): Release {
  say(`building or installing ${release}; logs in ${folder}`);
  return isPackage(release) ? installedRelease(release, folder) : builtRelease(release, folder);
}

/** The golden histories of each release, on the other. */
async function goldenBothWays(former: Release): Promise<string[]> {
  const found: string[] = [];
  for (const [of, on] of [
    [former, present],
    [present, former],
  ] as const) {
    const histories = goldenHistories(of);
    found.push(...(await divergences(on, histories, await goldenConverter(of))));
    say(`${histories.length} golden histories of ${of.name} replayed on ${on.name}`);
  }
  return found;
}

function summary(releases: readonly Release[], report: UpgradeReport, found: readonly string[]): string {
  const { executions, swaps, replayed, rows, events, repeats } = report;
  return [
    `${releases.map(({ name }) => name).join(' and ')}: ${swaps} swaps, ${replayed} histories replayed on each`,
    `executions ${JSON.stringify(executions)}, ${rows} rows, ${events} events, repeated calls ${repeats.calls}`,
    found.length === 0 ? 'no violation' : `${found.length} violations:\n${found.join('\n')}`,
  ].join('\n');
}

void main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
