/** `answer`: what an execution asks of people, answers, and links for others. */
import { type FormField, formFields, type Json, valueIn } from '../../language/plan';
import { UsageError } from '../errors';
import { printAnswer } from '../output/say';
import { withExecution } from './executions';
import { type RemoteExecution, type RemoteQuestion } from './executions/execution';
import { type RemoteFlags } from './port';

export interface AnswerFlags extends RemoteFlags {
  step?: string;
  taskRun?: string;
  reject?: string | true;
  link?: true;
}

export async function answerHere(
  execution: string,
  fields: readonly string[],
  flags: AnswerFlags,
): Promise<void> {
  await withExecution(execution, flags, (remote) => act(remote, fields, flags));
}

async function act(remote: RemoteExecution, fields: readonly string[], flags: AnswerFlags): Promise<void> {
  const which = { step: flags.step, task_run_id: flags.taskRun };
  if (flags.link) {
    const link = await remote.answerLink(which);
    return await printAnswer(flags.json, link, link.url);
  }
  const isAsked = ({ step, task_run_id }: RemoteQuestion): boolean =>
    step === (flags.step ?? step) && task_run_id === (flags.taskRun ?? task_run_id);
  const questions = (await remote.questions()).filter(isAsked);
  const { execution_id } = remote;
  if (fields.length === 0 && flags.reject === undefined) {
    const text =
      questions.map((one) => shown(execution_id, one, questions.length > 1)).join('\n\n') ||
      `${execution_id} asks nothing of people now`;
    return await printAnswer(flags.json, { execution_id, questions }, text);
  }
  const reason = flags.reject === true ? null : (flags.reject ?? null);
  const answer = flags.reject === undefined ? answerIn(fields, questions[0]) : { rejected: true, reason };
  const document = await remote.answer({ ...which, answer });
  await printAnswer(flags.json, document, document.fate === 'taken' ? 'answered' : FATE_SENT);
}

const FATE_SENT = 'sent to the server: no workflow worker has answered yet; the next one will receive it';

/** @throws UsageError */
function answerIn(assignments: readonly string[], question: RemoteQuestion | undefined): Json {
  const fields = question ? formFields(question.form) : [];
  const values = assignments.map((assignment): [string, Json] => {
    const equals = assignment.indexOf('=');
    if (equals < 1) throw new UsageError(`${assignment}: expected FIELD=VALUE, e.g. approve=true`);
    const name = assignment.slice(0, equals).trim();
    const field = fields.find((one) => one.name === name) ?? { kind: 'string' as const, options: null };
    return [name, valueIn(field, assignment.slice(equals + 1))];
  });
  return Object.fromEntries(values);
}

/** As it is written on a command line; text is written as it is. */
const WRITTEN: Partial<Record<FormField['kind'], string>> = {
  integer: '3',
  number: '850',
  boolean: 'true',
  array: `'["a", "b"]'`,
  object: `'{"a": 1}'`,
};

function shown(
  execution: string,
  { step, task_run_id, until, form }: RemoteQuestion,
  isOneOfMany: boolean,
): string {
  const all = formFields(form);
  const fields = all.map(({ name, kind, label, required, options }) => {
    const values = options ? `one of ${options.map((one) => JSON.stringify(one)).join(', ')}` : kind;
    return `  ${name}${required ? '' : '?'}: ${values}${label === name ? '' : `  (${label})`}`;
  });
  const head = `${step} asks (${task_run_id}${until === null ? '' : `, until ${until}`}):`;
  const needed = all.some(({ required }) => required)
    ? all.filter(({ required }) => required)
    : all.slice(0, 1);
  const written = needed.map(({ name, kind, options }) => {
    const option = typeof options?.[0] === 'string' ? options[0] : JSON.stringify(options?.[0]);
    return `${name}=${options ? JSON.stringify(option) : (WRITTEN[kind] ?? '"a text"')}`;
  });
  const command = `noetl-temporal answer ${execution}${isOneOfMany ? ` --task-run '${task_run_id}'` : ''}`;
  const answers = [`${command} ${written.join(' ')}`.trimEnd(), `${command} --reject "the reason"`];
  return [head, form.title, form.text, ...fields, '', ...answers].filter((line) => line !== null).join('\n');
}
