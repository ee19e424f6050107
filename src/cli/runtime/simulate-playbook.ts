/** `simulate`: many runs of a playbook, with faults drawn from seeds. */
import fs from 'node:fs';
import {
  addSimulationTally,
  emptySimulationTally,
  type SimulationResult,
  simulationResult,
  runSeeds,
  type Seeds,
  type SimulationTally,
} from '../../offline/simulation';
import { EXIT, UsageError } from '../errors';
import { readSetting, type SimulatedPlaybook } from '../input/simulation';
import { print } from '../output/say';
import { simulationText } from '../output/simulation-text';
import { relativeTo } from '../output/relative';
import { onThreads, THREADS } from './threads';
import { compact } from '../../language/plan';

export interface SimulateFlags {
  readonly seeds?: number;
  readonly seed?: number;
  readonly faults?: string;
  readonly toRehearsal?: string;
  readonly json?: boolean;
}

/** What a thread works on. */
export interface SimulationWork {
  readonly simulated: SimulatedPlaybook;
  readonly seeds: Seeds;
}

const SEEDS = 1_000;

/** Below this number of runs starting threads takes longer than it saves. */
const WORTH_THREADS = 5_000;

/** @returns the exit code: 1 if an invariant is violated, or a run has no end */
export async function simulatePlaybook(playbook: string, flags: SimulateFlags): Promise<number> {
  const simulated = { playbook, ...compact({ faults: flags.faults }) };
  const setting = readSetting(simulated, (text) => void process.stderr.write(text));
  const { seed: first = 1, seeds: count = flags.seed === undefined ? SEEDS : 1 } = flags;
  if (!Number.isSafeInteger(first + count))
    throw new UsageError('--seed and --seeds: the last seed is too large');
  const seeds = { first, count };
  const tally = count < WORTH_THREADS ? runSeeds(setting, seeds) : await simulateOnThreads(simulated, seeds);
  const file = setting.plan.source.file ?? playbook;
  const result = simulationResult(setting, tally, seeds, relativeTo(flags.toRehearsal ?? file, file));
  await print(flags.json ? JSON.stringify(result, null, 2) : simulationText(result));
  if (flags.toRehearsal !== undefined) write(flags.toRehearsal, result);
  return result.ok ? EXIT.success : EXIT.failed;
}

function write(file: string, { faults }: SimulationResult): void {
  const first = faults.find(({ rehearsal }) => rehearsal !== null);
  if (!first) {
    process.stderr.write(`${file} not written: there is no fault that a rehearsal could show\n`);
    return;
  }
  fs.writeFileSync(file, first.rehearsal!);
  process.stderr.write(`${file} written; \`noetl-temporal test ${file}\` fails until ${first.fault} holds\n`);
}

/** As `runSeeds`, on all cores (at most 8). */
export async function simulateOnThreads(
  simulated: SimulatedPlaybook,
  seeds: Seeds,
): Promise<SimulationTally> {
  const work = Array.from({ length: THREADS }, (_, number): SimulationWork => {
    return { simulated, seeds: { ...seeds, thread: { number, of: THREADS } } };
  });
  const sum = emptySimulationTally();
  for (const one of await onThreads<SimulationTally>(require.resolve('./simulate-thread'), work))
    addSimulationTally(sum, one);
  return sum;
}
