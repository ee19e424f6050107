/** `whatif`: decides a recorded run anew. */
import fs from 'node:fs';
import { type JsonObject, type Plan } from '../../language/plan';
import {
  type Anew,
  causesOf,
  changesBetween,
  executedAnswers,
  readRecording,
  type Recording,
  type Supplied,
  type WhatIf,
  whatIf,
} from '../../offline/proof';
import { isPassed, rehearsalOfRun } from '../../offline/rehearsal';
import { EXIT, UsageError } from '../errors';
import { extensions } from '../extensions';
import { suppliedBy } from '../input/answers';
import { readPayload } from '../input/payload';
import { relativeTo } from '../output/relative';
import { print } from '../output/say';
import { whatIfText } from '../output/what-if-text';
import { linesOfText, textOfFile } from './executions/source-lines';
import { revisionFrom } from './revision';
import { type PortFlags } from './port';
import { withRecorded } from './with-recorded';

export interface WhatIfOptions extends PortFlags {
  readonly playbook?: string;
  readonly set: readonly string[];
  readonly outcome: readonly string[];
  readonly answers?: string;
  readonly execute?: string;
  readonly sandbox?: string;
  readonly toRehearsal?: string;
  readonly json?: boolean;
}

/** @returns the exit code: 1 if it cannot be known how the run ends */
export async function whatIfRun(named: readonly string[], options: WhatIfOptions): Promise<number> {
  const recording = await withRecorded(named, options, (run) =>
    readRecording(run.pages(), { converter: run.converter, ...(run.id && { workflowId: run.id }) }),
  );
  const revision = revisionFrom(options.playbook);
  const plan = revision?.plan ?? recording.plan;
  const payload = options.set.length === 0 ? undefined : readPayload(undefined, options.set);
  const supplied = (): Supplied => suppliedBy(options.outcome, options.answers, plan);
  const given = { ...(payload && { payload }), supplied };
  const executed = await executedFor(recording, plan, options, given);
  const { result, anew } = whatIf(recording, plan, executed ?? { ...given, supplied: supplied() });
  if (options.toRehearsal !== undefined)
    writeRehearsal(options.toRehearsal, { recording, anew, plan, payload });
  await print(reportOf(result, recording, { ...options, text: revision?.text }));
  return result.status === 'waiting' && result.unanswered.length > 0 ? EXIT.failed : EXIT.success;
}

/** @param options.text of the new version */
function reportOf(
  result: WhatIf,
  { plan: { source } }: Recording,
  { json, playbook, text }: WhatIfOptions & { readonly text: string | undefined },
): string {
  const before = textOfFile(source.file, source.sha256);
  const after = text ?? before;
  const changes = before !== undefined && after !== undefined ? changesBetween(before, after) : [];
  const [first] = result.differences;
  const shown = first ? { ...result, changes: causesOf(first, changes) } : result;
  if (json) return JSON.stringify(shown, null, 2);
  return whatIfText(shown, playbook ?? 'the recorded playbook', {
    recorded: linesOfText(before),
    now: linesOfText(after),
  });
}

/** The options with answers of Python that was run; undefined without `--execute`. */
async function executedFor(
  recording: Recording,
  plan: Plan,
  { execute, sandbox }: Pick<WhatIfOptions, 'execute' | 'sandbox'>,
  given: { readonly payload?: JsonObject; readonly supplied: () => Supplied },
): Promise<Parameters<typeof whatIf>[2] | undefined> {
  if (execute === undefined) return undefined;
  const { pythonExecution } = await import('./execute-python.js');
  const python = pythonExecution(execute, sandbox);
  try {
    const { options, count } = await executedAnswers(recording, plan, python.execute, given);
    process.stderr.write(`${count} ${count === 1 ? 'call' : 'calls'} of Python executed\n`);
    return { ...options, byAnswers: true };
  } finally {
    await python.close();
  }
}

interface WhatIfOutcome {
  readonly recording: Recording;
  readonly anew: Anew;
  readonly plan: Plan;
  readonly payload: JsonObject | undefined;
}

/** Writes the run as a rehearsal of the new version; says so if it does not pass. */
function writeRehearsal(file: string, { recording, anew, plan, payload }: WhatIfOutcome): void {
  const playbook = plan.source.file;
  if (playbook === undefined || !fs.existsSync(playbook))
    throw new UsageError('--to-rehearsal needs --playbook FILE: the recorded playbook is not a file here');
  const { first, startedAt: startAt, executionId } = recording;
  if (first.type !== 'started')
    throw new UsageError(
      '--to-rehearsal: a rehearsal cannot begin in the middle of a run, as this recording does',
    );
  const text = rehearsalOfRun({
    playbook: relativeTo(file, playbook),
    name: `execution ${executionId}`,
    run: anew.run,
    payload: { ...first.payload, ...payload },
    startAt,
    executionId,
    answers: anew.world.given.map(({ call, answer: { outcome, after } }) => ({ call, outcome, after })),
    messages: (recording.messages.get('') ?? []).map(({ mark, input }) => ({
      after: mark.at - startAt,
      input: JSON.parse(input),
    })),
  });
  fs.writeFileSync(file, text);
  const note = isPassed(text, { file, plan, kinds: extensions().kinds })
    ? `\`noetl-temporal test ${file}\` runs it`
    : 'it does not pass yet: complete it by hand';
  process.stderr.write(`${file} written; ${note}\n`);
}
