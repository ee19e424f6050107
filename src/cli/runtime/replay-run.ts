/** `replay`: checks a run's history against this release, with Temporal's replayer and with the engine. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { replay, type ReplayReport } from '../../replay';
import { installRuntime } from '../../worker';
import { EXIT, UsageError } from '../errors';
import { paint, printable, wantsColor } from '../output/paint';
import { print } from '../output/say';
import { asUsage, openRecorded } from './recorded-run';
import { saveAnswer, serverOf } from './remote/facade-client';
import { quietLog } from './session';

interface ReplayOptions {
  readonly format: 'text' | 'json';
  readonly data?: string;
  /** The facade from which the history is read. */
  readonly server?: string;
}

/** @returns the exit code: 1 if this release cannot replay the history */
export async function replayRun(named: readonly string[], options: ReplayOptions): Promise<number> {
  if (options.server === undefined) return await replayRecorded(named, options);
  const [name = '', ...more] = named;
  if (more.length > 0 || !/^(noetl-)?\d+$/.test(name))
    throw new UsageError(`${named.join(' ')}: --server takes one execution id, a decimal number`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-replay-'));
  try {
    const file = path.join(folder, 'history.json');
    const id = name.replace(/^noetl-/, '');
    await saveAnswer(serverOf(options.server), `/api/executions/${id}/history`, file);
    return await replayRecorded([file], options);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function replayRecorded(named: readonly string[], options: ReplayOptions): Promise<number> {
  installRuntime(quietLog());
  const run = await openRecorded(named, options.data);
  const report = await replay(run)
    .catch(asUsage)
    .finally(() => run.close());
  await print(options.format === 'json' ? JSON.stringify(report, null, 2) : reportText(report));
  return report.ok ? EXIT.success : EXIT.failed;
}

function reportText({ ok, runs, history_events, events, divergence }: ReplayReport): string {
  const { green, red } = paint(wantsColor(process.stdout));
  const size = `${history_events} history events in ${runs} Temporal run${runs === 1 ? '' : 's'}, ${events} canonical events`;
  if (ok) return `${green('✓')} this release follows the history: ${size}`;
  const { by, run, message } = divergence!;
  const who = by === 'engine' ? 'the engine' : 'Temporal’s replayer';
  return [
    `${red('✗')} this release cannot replay the history (${size})`,
    `  found by ${who} in Temporal run ${run}: ${printable(message)}`,
    '  The run was executed by different code: let workers of the release that started it finish it, or reset it to a point before the difference.',
  ].join('\n');
}
