/** `whatif`: decides a recorded run anew. */
import fs from 'node:fs';
import { type JsonObject, type Plan } from '../../language/plan';
import { type Anew, readRecording, type Recording, whatIf } from '../../offline/proof';
import { readRehearsals, rehearsalOfRun, runRehearsal } from '../../offline/rehearsal';
import { EXIT, UsageError } from '../errors';
import { extensions } from '../extensions';
import { suppliedBy } from '../input/answers';
import { readPayload } from '../input/payload';
import { type LineOf } from '../output/finding-text';
import { relativeTo } from '../output/relative';
import { print } from '../output/say';
import { whatIfText } from '../output/what-if-text';
import { linesOfFile } from './executions/source-lines';
import { revisionFrom } from './revision';
import { type PortFlags } from './port';
import { withRecorded } from './with-recorded';

export interface WhatIfOptions extends PortFlags {
  readonly playbook?: string;
  readonly set: readonly string[];
  readonly outcome: readonly string[];
  readonly answers?: string;
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
  const { result, anew } = whatIf(recording, plan, {
    ...(payload && { payload }),
    supplied: suppliedBy(options.outcome, options.answers, plan),
  });
  if (options.toRehearsal !== undefined)
    writeRehearsal(options.toRehearsal, { recording, anew, plan, payload });
  const lines = revision?.text.split(/\r?\n/);
  const now: LineOf = lines ? (line) => lines[line - 1] : linesOfFile(recording.plan);
  const shown = options.playbook ?? 'the recorded playbook';
  await print(
    options.json
      ? JSON.stringify(result, null, 2)
      : whatIfText(result, shown, { recorded: linesOfFile(recording.plan), now }),
  );
  return result.status === 'waiting' && result.unanswered.length > 0 ? EXIT.failed : EXIT.success;
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
    answers: anew.world.given.map(({ call, answer: { outcome, after } }) => ({ call, outcome, after })),
    messages: (recording.messages.get('') ?? []).map(({ mark, input }) => ({
      after: mark.at - startAt,
      input: JSON.parse(input),
    })),
  });
  fs.writeFileSync(file, text);
  const { rehearsed } = readRehearsals(text, {
    file,
    load: () => ({ file: playbook, plan }),
    kinds: extensions().kinds,
  });
  const passes = rehearsed?.rehearsals.every((one) => runRehearsal(one, rehearsed).ok) ?? false;
  const note = passes
    ? `\`noetl-temporal test ${file}\` runs it`
    : 'it does not pass yet: complete it by hand';
  process.stderr.write(`${file} written; ${note}\n`);
}
