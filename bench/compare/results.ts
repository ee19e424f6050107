/** Results of complete runs, kept in bench/results: the newest of each server. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Rate } from '../rate';

/** Of the ratios of single pairs: the least, the median, the most. */
export type Spread = readonly [least: number, middle: number, most: number];

export interface Row {
  readonly name: string;
  readonly ours_ms: number;
  readonly ours_bytes: number;
  readonly floor_ms?: number;
  readonly floor_bytes?: number;
  readonly ratio?: number;
  readonly bytes_ratio?: number;
  readonly cpu_ratio?: number;
  readonly pairs?: Spread;
  readonly cpu_pairs?: Spread;
  readonly bar?: number;
  /** Milliseconds of other engines. */
  readonly others?: Readonly<Record<string, number>>;
}

export interface Run {
  readonly commit: string;
  readonly date: string;
  readonly machine: string;
  readonly workloads: readonly Row[];
  readonly rates: readonly Rate[];
}

/** A dev server is Temporal in one process with its database in memory; a cluster is what TEMPORAL_ADDRESS names. */
export type Server = 'dev-server' | 'cluster';

export const ROOT = path.join(__dirname, '../../..');
const KEPT = 3;

const fileOf = (server: Server): string => path.join(ROOT, 'bench/results', `${server}.json`);

/** Newest first. */
export function runsOn(server: Server): Run[] {
  const file = fileOf(server);
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as Run[]) : [];
}

/** Keeps a run beside the others of its machine and commit; those of another are replaced. */
export function keepRun(server: Server, measured: Pick<Run, 'workloads' | 'rates'>): void {
  const cpu = os.cpus();
  const run: Run = {
    commit: execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: ROOT }).toString().trim(),
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpu.length} cores of ${cpu[0]?.model.trim() ?? 'an unknown processor'}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`,
    ...measured,
  };
  const comparable = runsOn(server).filter((one) => one.commit === run.commit && one.machine === run.machine);
  const runs = [run, ...comparable].slice(0, KEPT);
  fs.writeFileSync(fileOf(server), `${JSON.stringify(runs, null, 1)}\n`);
}
