/** The output of `explain`. */
import { compact } from '../../plan';
import { EXIT, UsageError } from '../errors';
import { explanationText } from '../output/explanation';
import { wantsColor } from '../output/paint';
import { print } from '../output/say';
import { troubleLines } from '../output/status-text';
import { type ExecutionSource, executionOf, type ExplanationNow } from './executions';
import { printStateAt } from './print-events';

export interface ExplainOptions extends ExecutionSource {
  readonly at?: string;
  readonly step?: string;
  readonly state?: boolean;
  readonly format: 'text' | 'json';
}

/** @returns the exit code */
export async function explainRun(named: readonly string[], options: ExplainOptions): Promise<number> {
  if (options.state) {
    if (options.at === undefined) throw new UsageError('--state needs --at SEQ');
    return await printStateAt(named, options.at, options);
  }
  const { step } = options;
  const at = options.at === undefined ? undefined : seqOf(options.at);
  const remote = await executionOf(named, options);
  const shown: ExplanationNow = await remote.explanation(compact({ step, at }));
  const trouble = await remote.trouble();
  if (step !== undefined && at === undefined && shown.decisions.length === 0)
    throw new UsageError(`--step ${step}: there are no decisions about a step with that name`);
  const color = wantsColor(process.stdout);
  await print(
    options.format === 'json'
      ? JSON.stringify({ ...shown, ...(trouble && { workflow_task: trouble }) }, null, 2)
      : [
          explanationText(shown, Date.now(), color),
          ...(trouble ? ['', ...troubleLines(trouble, color)] : []),
        ].join('\n'),
  );
  if (!shown.divergence) return EXIT.success;
  process.stderr.write(`warning: this release cannot replay the history: ${shown.divergence.message}\n`);
  return EXIT.failed;
}

function seqOf(at: string): number {
  const seq = Number(at);
  if (!Number.isInteger(seq) || seq < 1)
    throw new UsageError(`--at ${at}: expected the seq of an event, 1 or more`);
  return seq;
}
