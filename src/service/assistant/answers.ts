/** Answers for calls that a recording cannot answer, or that should be answered otherwise: as mocks of rehearsals. */
import { formatDiagnostics, type ToolKinds } from '../../language/dsl';
import { CodedError } from '../../language/errors';
import { isWithin, type Plan, type TaskCall } from '../../language/plan';
import { type Supplied } from '../../offline/proof';
import { MockedWorld, readRehearsals } from '../../offline/rehearsal';

export interface WrittenAnswers {
  /** `STEP[/TASK][#RUN][[ITERATION]]=ANSWER`, each; ANSWER may be `recorded`. */
  readonly outcomes: readonly string[];
  /** A mapping from tasks to answers. */
  readonly answers?: { readonly text: string; readonly file: string };
  readonly plan: Plan;
  readonly kinds: ToolKinds;
}

/** @throws CodedError `ANSWERS_INVALID` for a task that the playbook does not have, or an answer that its kind cannot give */
export function suppliedAnswers({ outcomes, answers: written, plan, kinds }: WrittenAnswers): Supplied {
  const world = (mocks: string, file: string): MockedWorld => worldOf(mocks, file, { plan, kinds });
  const instead = outcomes.map((text) => outcomeFrom(text, world));
  const answers = written && world(mappingText(written.text), written.file);
  return {
    instead: (call) => {
      for (const one of instead) {
        const answer = one(call);
        if (answer) return answer;
      }
      return undefined;
    },
    otherwise: (call) => answers?.answer(call, 0),
  };
}

/** Below `mocks`, with its own lines kept as far as possible. */
function mappingText(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

type Instead = NonNullable<Supplied['instead']>;

function outcomeFrom(text: string, worldFrom: (mocks: string, file: string) => MockedWorld): Instead {
  const [, place = '', run, iteration = '', answer] =
    /^([^=#[]+?)(?:#(\d+))?(\[\d+\])?=([\s\S]*)$/.exec(text) ?? [];
  if (answer === undefined)
    throw new CodedError(
      'ANSWERS_INVALID',
      `--outcome ${text}: expected STEP[/TASK][#RUN]=ANSWER, e.g. 'fetch#1={error: timeout}'`,
    );
  const isMeant = ({ task_run_id: id, step }: TaskCall): boolean =>
    run === undefined || isWithin(id, `${step}#${run}`);
  const isRecorded = answer.trim() === 'recorded';
  const answerText = isRecorded ? '{ result: null, repeat: always }' : answer;
  const world = worldFrom(`  ${JSON.stringify(place + iteration)}: ${answerText}`, '--outcome');
  return (call) => {
    const given = isMeant(call) ? world.answer(call, 0) : undefined;
    return given && isRecorded ? 'recorded' : given;
  };
}

/** @param mocks indented by two */
function worldOf(
  mocks: string,
  file: string,
  { plan, kinds }: Pick<WrittenAnswers, 'plan' | 'kinds'>,
): MockedWorld {
  const text = `playbook: .\nmocks:\n${mocks}\n`;
  const { rehearsed, diagnostics } = readRehearsals(text, {
    file,
    load: (name) => ({ file: name, plan }),
    kinds,
  });
  const [first] = rehearsed?.rehearsals ?? [];
  if (!first) throw new CodedError('ANSWERS_INVALID', formatDiagnostics(diagnostics, text));
  return new MockedWorld(first);
}
