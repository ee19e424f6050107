/**
 * `/answer/{link}`: the form of a wait for whoever has its link. Reading the page answers nothing, because mail servers
 * and chats look at the links that they carry.
 */
import { type Request, type Response } from 'express';
import { z } from 'zod';
import { formFields, type Json, type JsonObject, valueIn } from '../../../language/plan';
import { openAnswerLink } from '../../../storage/sealed';
import { answerQuestion, type Question, questionOf } from '../executions/answers';
import { answerPage, notePage } from '../executions/answer-page';
import { type RouteServices } from '../services';
import { fromOutside } from '../http/outside';
import { noteAct } from '../noted';
import { FacadeError, route } from './declare';

const common = {
  scope: 'public',
  alias: true,
  params: z.object({ link: z.string().max(4000) }),
  errors: [404, 409, 410, 422, 503],
} as const;

const page = { 200: { description: 'A page', content: { 'text/html': 'a form' } } };

interface Opened {
  readonly id: string;
  readonly question: Question;
  readonly by: string;
}

async function opened({ client, keys }: RouteServices, text: string): Promise<Opened> {
  const link = keys && openAnswerLink(keys, text);
  if (!link)
    throw new FacadeError(404, 'LINK_INVALID', 'this link is not one of this server, or not all of it');
  if (Date.now() >= link.expires) throw new FacadeError(410, 'LINK_EXPIRED', 'this link has expired');
  const question = await questionOf(client, link.execution_id, link.task_run_id);
  if (question.form.who.link === null) throw new FacadeError(404, 'LINK_INVALID', 'this form has no links');
  return { id: link.execution_id, question, by: link.to ?? 'somebody' };
}

export const answerPages = [
  route('GET /answer/{link}', {
    ...common,
    summary: 'A form that its link opens',
    answers: page,
    async handle({ params: { link }, request, response }, services) {
      await orPage(request, response, async () => {
        const { question } = await opened(services, link);
        return wantsPage(request) ? answerPage(question.form) : { form: question.form };
      });
    },
  }),
  route('POST /answer/{link}', {
    ...common,
    summary: 'Answer it: the form of the page, or its fields as JSON',
    body: z.looseObject({}),
    form: true,
    answers: page,
    async handle({ params: { link }, body, request, response }, services) {
      await orPage(request, response, async () => {
        const { id, question, by } = await opened(services, link);
        const given = request.is('application/json') ? body : filledIn(question, body);
        try {
          const answer = { given: given as JsonObject, by, via: 'link' } as const;
          const fate = await answerQuestion(services.client, id, question, answer);
          await noteAct(services, {
            ...{ principal: by, assistant: null, remote: request.ip ?? null, code: null },
            ...{ request: 'POST /answer/{link}', about: [id] },
          });
          return wantsPage(request) ? notePage('Thank you', 'Your answer has arrived.') : { fate };
        } catch (error) {
          if (!wantsPage(request) || !(error instanceof FacadeError) || error.status !== 422) throw error;
          response.status(422);
          return answerPage(question.form, { given: body, why: error.message });
        }
      });
    },
  }),
];

/** What the page sends: `verdict`, `reason`, and the fields as text, each behind `f.`. Empty fields are none. */
function filledIn({ form }: Question, body: Readonly<Record<string, unknown>>): JsonObject {
  const textOf = (name: string): string => String([body[name] ?? ''].flat().at(-1));
  if (textOf('verdict') === 'reject') return { rejected: true, reason: textOf('reason') || null };
  if (textOf('verdict') !== 'answer')
    throw new FacadeError(422, 'ANSWER_INVALID', 'verdict is neither answer nor reject');
  const values = formFields(form).flatMap((field): [string, Json][] => {
    const text = textOf(`f.${field.name}`);
    return text === '' ? [] : [[field.name, valueIn(field, text)]];
  });
  return Object.fromEntries(values);
}

function wantsPage(request: Request): boolean {
  return request.accepts(request.is('application/json') ? ['json', 'html'] : ['html', 'json']) === 'html';
}

/** Sends what `act` makes. A browser gets refusals as a page. */
async function orPage(
  request: Request,
  response: Response,
  act: () => Promise<string | object>,
): Promise<void> {
  // The address is the permission: no other site hears of it, but the page's own form says where it comes from.
  response.set({ 'referrer-policy': 'same-origin', 'content-security-policy': POLICY });
  try {
    const answer = await act();
    if (typeof answer === 'string') response.type('html');
    response.send(answer);
  } catch (error) {
    const refusal = error instanceof FacadeError ? error : fromOutside(error);
    if (!refusal || !wantsPage(request)) throw error;
    response.status(refusal.status).type('html').send(notePage('This cannot be answered', refusal.message));
  }
}

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
