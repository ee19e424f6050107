/**
 * `/api/result`: values beside the large results of an execution, by reference. A reference holds where the value is and
 * its hash, so that whoever has it can read it, as a task of kind `artifact` can.
 */
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { z } from 'zod';
import { isMapping, type Json, unpackOutcome, type WireOutcome } from '../../../../language/plan';
import { STORED_VALUE } from '../../../../storage/payloads';
import { described } from '../../executions/described';
import { executionPath } from '../../executions/ids';
import { sendJsonText } from '../../http/portions';
import { boundedText, FacadeError, noStorage, okAnswer, route } from '../declare';

const STORE_MS = 30_000;
/** Of a task's outcome, which is taken apart on the event loop. */
const MAX_OUTCOME = 4 * 1024 * 1024;
const ARTIFACT = 'a task of kind artifact fetches what may be read';
const PREFIX = 'noetl://execution/';
const text = z.string();
const origin = z.object({ store: text, key: text, checksum: text.regex(/^sha256:[0-9a-f]{64}$/) });

export const resultRoutes = [
  route('PUT /api/result/{id}', {
    scope: 'run',
    acts: false,
    summary: 'Store a value with an execution; it is kept as long as its results',
    params: executionPath,
    body: z.object({
      name: boundedText(200).min(1),
      data: z.unknown(),
      scope: boundedText(100).default('execution'),
      source_step: boundedText(300).nullish(),
    }),
    answers: okAnswer(
      'Its reference',
      z.object({ ref: text, store: text, scope: text, bytes: z.int(), sha256: text, expires_at: z.null() }),
    ),
    errors: [404, 502],
    async handle({ params: { id }, body: { name, data, scope } }, { client, results }) {
      if (!results) throw noStorage('results are');
      const { workflowId } = await described(client, id);
      const plain = defaultPayloadConverter.toPayload(data ?? null);
      const payload = { ...plain, metadata: { ...plain.metadata, [STORED_VALUE]: Buffer.from('1') } };
      const at = await results.put(workflowId, payload, AbortSignal.timeout(STORE_MS)).catch(failed);
      const hidden = Buffer.from(JSON.stringify(at)).toString('base64url');
      const ref = `${PREFIX}${id}/result/${encodeURIComponent(name)}/${hidden}`;
      const sha256 = at.checksum.replace('sha256:', '');
      return { ref, store: at.store, scope, bytes: payload.data?.length ?? 0, sha256, expires_at: null };
    },
  }),
  route('GET /api/result/resolve', {
    scope: 'read',
    summary: 'The value behind a reference',
    query: z.object({ ref: boundedText(4000).describe('`noetl://execution/…`, or a `<step>._ref` as JSON') }),
    answers: okAnswer('The value', z.unknown()),
    errors: [404, 502],
    async handle({ query: { ref }, response }, { results }) {
      if (!results) throw noStorage('results are');
      const payload = await results.get(originIn(ref), AbortSignal.timeout(STORE_MS)).catch(failed);
      if (!payload) throw notFound();
      await sendJsonText(response, valueOf(payload));
    },
  }),
];

const notFound = () =>
  new FacadeError(404, 'RESULT_NOT_FOUND', 'there is no value behind this reference here');

/** @throws FacadeError */
function failed(error: unknown): never {
  const { type, message } = error as { type?: unknown; message: string };
  if (type === 'BLOB_MISSING' || type === 'BLOB_CORRUPT') throw notFound();
  throw typeof type === 'string' && type.startsWith('BLOB_') ? new FacadeError(502, type, message) : error;
}

/** @throws FacadeError 400 */
function originIn(ref: string): z.output<typeof origin> {
  try {
    const json = ref.startsWith(PREFIX) ? Buffer.from(ref.split('/').at(-1)!, 'base64url').toString() : ref;
    return origin.parse(JSON.parse(json));
  } catch {
    const given = 'give the `ref` of PUT /api/result/{id}, or a `<step>._ref` as JSON';
    throw new FacadeError(400, 'REFERENCE_INVALID', `query.ref is not a reference of this server: ${given}`);
  }
}

/** As JSON. @throws FacadeError 422 for a body in parts, what is encrypted for its owner, and a large outcome */
function valueOf(payload: Payload): string {
  const { encoding, [STORED_VALUE]: isValue, 'noetl-parts': parts } = payload.metadata ?? {};
  if (Buffer.from(encoding ?? []).toString() !== 'json/plain' || parts)
    throw new FacadeError(422, 'NOT_A_VALUE', `this reference names no readable value: ${ARTIFACT}`);
  const json = Buffer.from(payload.data ?? []);
  if (isValue) return json.toString();
  if (json.length > MAX_OUTCOME)
    throw new FacadeError(422, 'ANSWER_TOO_LARGE', `the result has ${json.length} bytes: ${ARTIFACT}`);
  const value = defaultPayloadConverter.fromPayload<Json>(payload);
  const isOutcome = isMapping(value) && ('status' in value || 'result' in value);
  return JSON.stringify(isOutcome ? unpackOutcome(value as WireOutcome).result : value);
}
