/** What `explain` prints. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { type Decision, explain, type Explanation, type SourceLines } from '../../history';
import { type Plan } from '../../plan';
import { EXIT, UsageError } from '../errors';
import { explanationText } from '../output/explanation';
import { wantsColor } from '../output/paint';
import { print } from '../output/say';
import { printStateAt } from './print-events';
import { asUsage, openRecorded } from './recorded-run';

export interface ExplainOptions {
  readonly at?: string;
  readonly step?: string;
  readonly state?: boolean;
  readonly format: 'text' | 'json';
  readonly data?: string;
}

/** @returns the exit code */
export async function explainRun(named: readonly string[], options: ExplainOptions): Promise<number> {
  if (options.state) {
    if (options.at === undefined) throw new UsageError('--state needs --at SEQ');
    return await printStateAt(named, options.at, options);
  }
  const run = await openRecorded(named, options.data);
  let whole: Explanation;
  try {
    whole = await explain(run.pages(), linesOf, { converter: run.converter });
  } catch (error) {
    asUsage(error);
  } finally {
    await run.close();
  }
  const shown = { ...whole, decisions: chosen(whole.decisions, options) };
  await print(
    options.format === 'json'
      ? JSON.stringify(shown, null, 2)
      : explanationText(shown, wantsColor(process.stdout)),
  );
  if (!whole.divergence) return EXIT.success;
  process.stderr.write(`warning: this release does not follow the history: ${whole.divergence.message}\n`);
  return EXIT.failed;
}

function chosen(decisions: readonly Decision[], { at, step }: ExplainOptions): readonly Decision[] {
  if (step !== undefined && !decisions.some((decision) => decision.step === step))
    throw new UsageError(`--step ${step}: nothing was decided about a step of that name`);
  const about = decisions.filter((decision) => step === undefined || decision.step === step);
  if (at === undefined) return about;
  const seq = Number(at);
  if (!Number.isInteger(seq) || seq < 1)
    throw new UsageError(`--at ${at}: expected the seq of an event, 1 or more`);
  return about.filter((decision) => decision.seq <= seq).slice(-1);
}

/** The playbook's lines, if the file is here and is still the one that ran. */
function linesOf({ source }: Plan): SourceLines {
  if (source.file === undefined || !fs.existsSync(source.file)) return () => undefined;
  const text = fs.readFileSync(source.file, 'utf8');
  if (createHash('sha256').update(text).digest('hex') !== source.sha256) {
    process.stderr.write(`${source.file} has changed since this run: its lines are not shown\n`);
    return () => undefined;
  }
  const lines = text.split(/\r?\n/);
  return (line) => lines[line - 1];
}
