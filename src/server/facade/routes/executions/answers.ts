/** What an execution asks of people, their answers, and links for those without a token. */
import { z } from 'zod';
import { answerLinkPath, linkExpires } from '../../../../storage/sealed';
import { awaitedOf } from '../../../../temporal/client';
import { answerQuestion, type Question, questionOf, questionsOf } from '../../executions/answers';
import { executionPath, temporalId } from '../../executions/ids';
import { type Principal } from '../../http/route';
import { type RouteServices } from '../../services';
import { component, FacadeError, mapping, okAnswer, ofExecution, route } from '../declare';

const which = z.object({
  task_run_id: z.string().max(2000).optional().describe('The wait that is answered; default: the only one'),
  step: z.string().max(300).optional().describe('The wait of this step'),
});

const form = component('WaitForm', {
  title: z.string().nullable(),
  text: z.string().nullable(),
  fields: z
    .record(z.string(), mapping)
    .describe('By name, as inputs are declared, with `label` and `default`'),
  who: z.object({
    scope: z.enum(['read', 'run', 'admin']).nullable().describe('Callers of this scope may answer'),
    tokens: z.array(z.string()).describe('Callers with a token of one of these names may'),
    link: z.number().nullable().describe('For so many seconds a link is good; null: there are no links'),
  }),
});

const awaited = component('Awaited', {
  task_run_id: z.string(),
  step: z.string(),
  event: z.string(),
  until: z.iso.datetime().nullable(),
  form: form.nullable().describe('null: any event of this name ends the wait'),
});

/** Callers of scope `admin` may answer everything. */
function checkMay({ name, scopes }: Principal, { who }: Question['form']): void {
  const may = scopes.some((scope) => scope === 'admin' || scope === who.scope) || who.tokens.includes(name);
  if (may) return;
  const allowed = [who.scope && `scope ${who.scope}`, ...who.tokens.map((one) => `the token "${one}"`)];
  const others = [...allowed, who.link !== null && 'whoever has its link', 'scope admin'].filter(Boolean);
  throw new FacadeError(403, 'MAY_NOT_ANSWER', `"${name}" may not answer this: ${others.join(', ')} may`);
}

async function chosen(
  { client }: RouteServices,
  { params: { id }, body: { task_run_id, step }, principal }: QuestionRequest,
): Promise<Question> {
  const questions =
    task_run_id === undefined ? await questionsOf(client, id) : [await questionOf(client, id, task_run_id)];
  const candidates = questions.filter((one) => step === undefined || one.step === step);
  const [first, ...others] = candidates;
  const of = step === undefined ? '' : ` in step ${step}`;
  if (!first) throw new FacadeError(409, 'NOTHING_ASKED', `execution ${id} asks nothing of people now${of}`);
  if (others.length > 0) {
    const runs = candidates.map((one) => one.task_run_id);
    const message = `execution ${id} asks ${runs.length} things${of}: say task_run_id, one of ${runs.slice(0, 20).join(', ')}`;
    throw new FacadeError(409, 'SEVERAL_ASKED', message, { task_run_ids: runs });
  }
  checkMay(principal, first.form);
  return first;
}

interface QuestionRequest {
  readonly params: { readonly id: string };
  readonly body: z.output<typeof which>;
  readonly principal: Principal;
}

export const answers = [
  route('GET /api/executions/{id}/waits', {
    ...ofExecution,
    summary: 'The events that an execution waits for, and the forms that people answer',
    answers: okAnswer('The oldest first', z.object({ waits: z.array(awaited) })),
    errors: [404, 503],
    async handle({ params: { id } }, { client }) {
      const waits = await awaitedOf(client, await temporalId(client, id));
      return {
        waits: waits.map(({ until, form = null, ...wait }) => ({
          ...wait,
          until: until === undefined ? null : new Date(until),
          form,
        })),
      };
    },
  }),
  route('POST /api/executions/{id}/answer', {
    scope: 'read',
    acts: true,
    summary: 'Answer the form of a wait, or reject what it asks',
    description:
      'Whoever `who` of the form names may: 403 `MAY_NOT_ANSWER`. 422 `ANSWER_INVALID` names the fields that do not fit. ' +
      'Of several answers one is taken; 409 `ANSWERED` for the others, `WAIT_OVER` after the wait.',
    params: executionPath,
    body: which.extend({ answer: mapping.describe('The fields, or `{rejected: true, reason}`') }),
    answers: okAnswer(
      'The answer was taken; `sent`: the server keeps it until a workflow worker takes it',
      z.object({ execution_id: z.string(), task_run_id: z.string(), fate: z.enum(['taken', 'sent']) }),
    ),
    errors: [403, 404, 409, 503],
    async handle(request, services) {
      const { params, body, principal } = request;
      const question = await chosen(services, request);
      const answer = { given: body.answer as never, by: principal.name, via: 'token' } as const;
      const fate = await answerQuestion(services.client, params.id, question, answer);
      return { execution_id: params.id, task_run_id: question.task_run_id, fate };
    },
  }),
  route('POST /api/executions/{id}/answer-link', {
    scope: 'run',
    summary: 'A link under which the form of a wait is answered once, without a token',
    description: 'For those who may answer themselves, if `who` of the form allows links.',
    params: executionPath,
    body: which,
    answers: okAnswer(
      'The link',
      z.object({ task_run_id: z.string(), url: z.string(), expires_at: z.iso.datetime() }),
    ),
    errors: [403, 404, 409, 503],
    async handle(call, services) {
      const { request, params, principal } = call;
      const { task_run_id, until, form } = await chosen(services, call);
      if (form.who.link === null)
        throw new FacadeError(409, 'NO_LINKS', 'the form has no links: its `who` has no `link: true`');
      if (!services.keys)
        throw new FacadeError(
          503,
          'KEY_MISSING',
          'links are sealed with NOETL_SECRETS_KEY, which this facade has not',
        );
      const expires = linkExpires(Date.now(), form.who.link, until);
      const link = { execution_id: params.id, task_run_id, expires, to: `somebody, from ${principal.name}` };
      const url = `${request.protocol}://${request.get('host')}${answerLinkPath(services.keys, link)}`;
      return { task_run_id, url, expires_at: new Date(expires) };
    },
  }),
];
