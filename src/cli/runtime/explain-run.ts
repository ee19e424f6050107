/** The output of `explain`. */
import { compact } from '../../language/plan';
import { type DecisionSelection } from '../../history';
import { EXIT, UsageError } from '../errors';
import { explanationText } from '../output/explanation';
import { wantsColor } from '../output/paint';
import { print } from '../output/say';
import { troubleLines } from '../output/status-text';
import { type ExplanationNow, withHistory } from './executions';
import { type PortFlags } from './port';
import { printStateAt } from './print-events';

export interface ExplainRunOptions extends PortFlags {
  readonly at?: string;
  readonly after?: string;
  readonly step?: string;
  readonly state?: boolean;
  readonly format: 'text' | 'json';
}

/** @returns the exit code */
export async function explainRun(named: readonly string[], options: ExplainRunOptions): Promise<number> {
  if (options.state) {
    if (options.at === undefined) throw new UsageError('--state needs --at SEQ');
    return await printStateAt(named, options.at, options);
  }
  const { step, at, after } = selectionOf(options);
  const [shown, trouble] = await withHistory(named, options, async (run) => {
    const explanation: ExplanationNow = await run.explanation(compact({ step, at, after }));
    return [explanation, await run.trouble()] as const;
  });
  const isWhole = at === undefined && after === undefined && shown.next_after === undefined;
  if (step !== undefined && isWhole && shown.decisions.length === 0)
    throw new UsageError(`--step ${step}: there are no decisions about a step with that name`);
  const color = wantsColor(process.stdout);
  await print(
    options.format === 'json'
      ? JSON.stringify({ ...shown, ...(trouble && { workflow_task: trouble }) }, null, 2)
      : [
          explanationText(shown, Date.now(), color),
          ...nextPage(named, options, shown.next_after),
          ...(trouble ? ['', ...troubleLines(trouble, color)] : []),
        ].join('\n'),
  );
  if (!shown.divergence) return EXIT.success;
  process.stderr.write(`warning: this release cannot replay the history: ${shown.divergence.message}\n`);
  return EXIT.failed;
}

function selectionOf({ step, at, after }: ExplainRunOptions): DecisionSelection {
  if (at !== undefined && after !== undefined) throw new UsageError('--at and --after: use one of them');
  return compact({
    step,
    at: at === undefined ? undefined : seqOf(at),
    after: after === undefined ? undefined : seqOf(after, '--after', 0),
  });
}

/** A long run is explained page by page. */
function nextPage(
  named: readonly string[],
  { step }: ExplainRunOptions,
  after: number | null | undefined,
): string[] {
  if (after === null || after === undefined) return [];
  const more = step === undefined ? '' : ` --step ${step}`;
  return ['', `More events follow: noetl-temporal explain ${named.join(' ')} --after ${after}${more}`];
}

function seqOf(text: string, option = '--at', least = 1): number {
  const seq = Number(text);
  if (!Number.isInteger(seq) || seq < least)
    throw new UsageError(`${option} ${text}: expected the seq of an event, ${least} or more`);
  return seq;
}
