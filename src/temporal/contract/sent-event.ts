/** Validates external events as sent, and converts them to engine inputs. */
import { type Input } from '../../engine/machine';
import { compact, isMapping } from '../../language/plan';
import { type SentEvent } from './definitions';
import { mappingShape, optionalShape, shaped, textShape } from './shapes';

const MAX_LENGTH = 200;
const text = optionalShape(textShape);
const isAnswer = optionalShape(
  (value) => mappingShape(value) && shaped({ of: text, by: text, via: text })(value),
);

/** Why this is not a valid event; undefined when it is. */
export function whyNoEvent(sent: unknown): string | undefined {
  if (!isMapping(sent)) return 'an event is a mapping {name, payload, id}';
  const { name, id, answer } = sent;
  if (typeof name !== 'string' || name === '' || name.length > MAX_LENGTH) {
    return `the name of an event is a string of 1 to ${MAX_LENGTH} characters, got ${JSON.stringify(name)}`;
  }
  const isId = typeof id === 'string' && id !== '' && id.length <= MAX_LENGTH;
  if ((id ?? null) !== null && !isId) {
    return `the id of an event is a string of 1 to ${MAX_LENGTH} characters, got ${JSON.stringify(id)}`;
  }
  return isAnswer(answer) ? undefined : 'the answer of an event is a mapping of texts {of, by, via}';
}

export function eventInput({
  name,
  payload,
  id,
  answer,
}: SentEvent): Extract<Input, { type: 'externalEvent' }> {
  const { of, by, via } = answer ?? {};
  return {
    type: 'externalEvent',
    name,
    payload: payload ?? null,
    ...(id ? { id } : {}),
    ...(answer && { answer: compact({ of, by, via }) }),
  };
}
