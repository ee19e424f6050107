/**
 * `simulate`: simulated executions of the example playbooks per second on one core, with typical faults. Target:
 * 1,000,000 in 5 minutes on two cores, 1,667 a second on each. Then the twenty planted faults: how long each takes to
 * be found among 1,000 seeds and shrunk. Target: 10 s.
 *
 * `--seeds N`: of each playbook, default 2,000, after as many to warm up. `--executions N`: instead, that many executions
 * of all examples together, by all cores, as `simulate` runs them.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readSetting } from '../src/cli/input/simulation';
import { simulateOnThreads } from '../src/cli/runtime/simulate-playbook';
import { compile } from '../src/language/dsl';
import { simulationResult, readSimulation, runSeeds, Setting } from '../src/offline/simulation';
import { PLANTED } from '../test/support/planted-faults';
import { playbookOf } from '../test/support/simulator';

const PLAYBOOKS = path.resolve(__dirname, '../../playbooks');

export async function benchSimulate(args: readonly string[]): Promise<void> {
  const flag = (name: string): number | undefined => {
    const at = args.indexOf(`--${name}`);
    return at < 0 ? undefined : Number(args[at + 1]);
  };
  const executions = flag('executions');
  if (executions !== undefined) return await benchAllCores(executions);
  benchExamples(flag('seeds') ?? 2_000);
  benchPlanted();
}

function examples(): string[] {
  return fs
    .readdirSync(PLAYBOOKS)
    .filter((name) => name.endsWith('.yaml') && !name.endsWith('.rehearsal.yaml'))
    .sort();
}

async function benchAllCores(executions: number): Promise<void> {
  const names = examples();
  const count = Math.ceil(executions / names.length);
  const started = performance.now();
  const startedCpu = process.cpuUsage();
  let [runs, decisions] = [0, 0];
  for (const name of names) {
    const simulated = { playbook: path.join(PLAYBOOKS, name) };
    const tally = await simulateOnThreads(simulated, { first: 1, count });
    runs += tally.runs;
    decisions += tally.batches;
  }
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(startedCpu);
  console.log(
    `  ${runs} executions of ${names.length} examples with ${decisions} decisions in ${Math.round(seconds)} s on ${Math.min(os.availableParallelism(), 8)} cores; ` +
      `${Math.round((user + system) / runs)} µs of processor time each`,
  );
}

function benchExamples(count: number): void {
  let [runs, milliseconds] = [0, 0];
  for (const name of examples()) {
    const setting = readSetting({ playbook: path.join(PLAYBOOKS, name) }, () => undefined);
    runSeeds(setting, { first: 1, count });
    const started = process.cpuUsage();
    const { batches } = runSeeds(setting, { first: 1, count });
    const { user, system } = process.cpuUsage(started);
    const spent = (user + system) / 1_000;
    runs += count;
    milliseconds += spent;
    const rate = Math.round((count / spent) * 1_000);
    console.log(
      `  ${name}: ${rate} executions of ${Math.round(batches / count)} decisions per second of processor time`,
    );
  }
  const rate = (runs / milliseconds) * 1_000;
  console.log(
    `  all: ${Math.round(rate)} executions per second and core; 1,000,000 on two cores in ${Math.round(500_000 / rate)} s`,
  );
}

function benchPlanted(): void {
  for (const { name, workflow, faults, finds } of PLANTED) {
    const started = performance.now();
    const { plan } = compile(playbookOf(workflow));
    const { simulation } = readSimulation(faults, { file: 'faults.yaml', plan: plan! });
    const setting = new Setting(plan!, simulation!, []);
    const seeds = { first: 1, count: 1_000 };
    const found = simulationResult(setting, runSeeds(setting, seeds), seeds, './playbook.yaml');
    const rehearsal = found.faults.find(({ fault }) => fault === finds)?.rehearsal;
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    const lines = rehearsal ? `${rehearsal.trim().split('\n').length} lines` : 'not found';
    console.log(`  ${name}: ${lines}, ${seconds} s`);
  }
}
