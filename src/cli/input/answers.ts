/** Answers for calls that a recording cannot answer, or that should be answered otherwise: as mocks of rehearsals. */
import { formatDiagnostics } from '../../language/dsl';
import { type Plan, type TaskCall } from '../../language/plan';
import { type Supplied } from '../../offline/proof';
import { MockedWorld, readRehearsals } from '../../offline/rehearsal';
import { UsageError } from '../errors';
import { extensions } from '../extensions';
import { readText } from './playbook';

/**
 * @param outcomes `STEP[/TASK][#RUN][[ITERATION]]=ANSWER`, each; ANSWER may be `recorded`
 * @param file a mapping from tasks to answers
 * @throws UsageError for a task that the playbook does not have, or an answer that its kind cannot give
 */
export function suppliedBy(outcomes: readonly string[], file: string | undefined, plan: Plan): Supplied {
  const instead = outcomes.map((text) => outcomeFrom(text, plan));
  const answers = file === undefined ? undefined : worldOf(mappingText(readText(file)), file, plan);
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

function outcomeFrom(text: string, plan: Plan): Instead {
  const [, place = '', run, iteration = '', answer] =
    /^([^=#[]+?)(?:#(\d+))?(\[\d+\])?=([\s\S]*)$/.exec(text) ?? [];
  if (answer === undefined)
    throw new UsageError(
      `--outcome ${text}: expected STEP[/TASK][#RUN]=ANSWER, e.g. 'fetch#1={error: timeout}'`,
    );
  const isMeant = ({ task_run_id: id, step }: TaskCall): boolean =>
    run === undefined || id.startsWith(`${step}#${run}.`) || id.startsWith(`${step}#${run}[`);
  const isRecorded = answer.trim() === 'recorded';
  const answerText = isRecorded ? '{ result: null, repeat: always }' : answer;
  const world = worldOf(`  ${JSON.stringify(place + iteration)}: ${answerText}`, '--outcome', plan);
  return (call) => {
    const given = isMeant(call) ? world.answer(call, 0) : undefined;
    return given && isRecorded ? 'recorded' : given;
  };
}

/** @param mocks indented by two */
function worldOf(mocks: string, file: string, plan: Plan): MockedWorld {
  const text = `playbook: .\nmocks:\n${mocks}\n`;
  const { rehearsed, diagnostics } = readRehearsals(text, {
    file,
    load: (name) => ({ file: name, plan }),
    kinds: extensions().kinds,
  });
  const [first] = rehearsed?.rehearsals ?? [];
  if (!first) throw new UsageError(formatDiagnostics(diagnostics, text));
  return new MockedWorld(first);
}
