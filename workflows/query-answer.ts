/** Answers to queries, as far as Temporal carries them. */
import { encode } from '@temporalio/common/lib/encoding';
import { inMiB } from '../src/plan';

/** Bytes of JSON: Temporal's limit of a value. Above the limit of a message, the worker could not even answer. */
const MAX_BYTES = 2 * 1024 * 1024;

/** @throws Error `QUERY_TOO_LARGE` that tells where else it can be read */
export function answerOf<T>(what: 'state' | 'variables', value: T): T {
  const text = JSON.stringify(value);
  // A character takes one to three bytes.
  if (text.length * 3 <= MAX_BYTES || (text.length <= MAX_BYTES && encode(text).length <= MAX_BYTES))
    return value;
  const path = what === 'state' ? 'GET /api/executions/{id}/state' : 'GET /api/vars/{id}';
  throw new Error(
    `QUERY_TOO_LARGE: the ${what} of this execution comes to more than ${inMiB(MAX_BYTES)} as JSON, which Temporal does not carry: ` +
      `read it with ${path}, or with noetl-temporal events ID --state-at SEQ`,
  );
}
