/** Forms of waits, and the answers of people to them. Who may answer is decided by the routes. */
import { createHash } from 'node:crypto';
import { type Client } from '@temporalio/client';
import { answerTo, type AwaitedEvent, type Json, type WaitForm } from '../../../language/plan';
import { awaitedOf, hasReceived, sendEvent } from '../../../temporal/client';
import { FacadeError } from '../http/errors';
import { temporalId } from './ids';

/** A wait that a person ends. */
export type Question = AwaitedEvent & { readonly form: WaitForm };

export async function questionsOf(client: Client, id: string): Promise<Question[]> {
  const awaited = await awaitedOf(client, await temporalId(client, id));
  return awaited.filter((one): one is Question => one.form !== undefined);
}

/** @throws FacadeError 409 `ANSWERED`, `WAIT_OVER` */
export async function questionOf(client: Client, id: string, taskRun: string): Promise<Question> {
  const question = (await questionsOf(client, id)).find((one) => one.task_run_id === taskRun);
  if (question) return question;
  const workflow = await temporalId(client, id);
  throw (await hasReceived(client, workflow, answerId(taskRun))) ? answeredBefore() : waitOver();
}

export interface PersonsAnswer {
  /** The fields, or `{rejected: true, reason}`. */
  readonly given: Json;
  readonly by: string;
  readonly via: 'token' | 'link';
}

/**
 * Of several at the same time, the execution takes one.
 *
 * @returns `sent`: the server keeps it until a workflow worker takes it
 * @throws FacadeError 422 `ANSWER_INVALID`, which names the fields; 409 `ANSWERED`, `WAIT_OVER`
 */
export async function answerQuestion(
  client: Client,
  id: string,
  { task_run_id: of, event: name, form }: Question,
  { given, by, via }: PersonsAnswer,
): Promise<'taken' | 'sent'> {
  const { wrong } = answerTo(form, given);
  if (wrong) {
    const message = wrong.map(({ at, message: why }) => `${at} ${why}`).join('; ');
    throw new FacadeError(422, 'ANSWER_INVALID', message, { at: wrong[0]?.at, wrong });
  }
  const event = { name, payload: given, id: answerId(of), answer: { of, by, via } };
  const fate = await sendEvent(client, await temporalId(client, id), event);
  if (fate?.duplicate) throw answeredBefore();
  if (fate?.refused !== undefined) throw waitOver();
  return fate ? 'taken' : 'sent';
}

/** All answers to a task run have one id: the execution takes the first. */
function answerId(taskRun: string): string {
  return `answer-${createHash('sha256').update(taskRun).digest('base64url')}`;
}

function answeredBefore(): FacadeError {
  return new FacadeError(409, 'ANSWERED', 'this has been answered already');
}

function waitOver(): FacadeError {
  return new FacadeError(409, 'WAIT_OVER', 'nobody waits for this answer any more');
}
