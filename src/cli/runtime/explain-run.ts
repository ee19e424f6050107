/** The output of `explain`. */
import { type Decision, type Explanation } from '../../history';
import { EXIT, UsageError } from '../errors';
import { explanationText } from '../output/explanation';
import { wantsColor } from '../output/paint';
import { print } from '../output/say';
import { type ExecutionSource, executionOf } from './executions';
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
  const whole: Explanation = await (await executionOf(named, options)).explanation();
  const shown = { ...whole, decisions: chosen(whole.decisions, options) };
  await print(
    options.format === 'json'
      ? JSON.stringify(shown, null, 2)
      : explanationText(shown, wantsColor(process.stdout)),
  );
  if (!whole.divergence) return EXIT.success;
  process.stderr.write(`warning: this release cannot replay the history: ${whole.divergence.message}\n`);
  return EXIT.failed;
}

function chosen(decisions: readonly Decision[], { at, step }: ExplainOptions): readonly Decision[] {
  if (step !== undefined && !decisions.some((decision) => decision.step === step))
    throw new UsageError(`--step ${step}: there are no decisions about a step with that name`);
  const about = decisions.filter((decision) => step === undefined || decision.step === step);
  if (at === undefined) return about;
  const seq = Number(at);
  if (!Number.isInteger(seq) || seq < 1)
    throw new UsageError(`--at ${at}: expected the seq of an event, 1 or more`);
  return about.filter((decision) => decision.seq <= seq).slice(-1);
}
