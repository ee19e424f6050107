/** Validates external events as sent, and converts them to engine inputs. */
import { type Input } from '../../engine/machine';
import { isMapping } from '../../language/plan';
import { type SentEvent } from './definitions';

const MAX_LENGTH = 200;

/** Why this is not a valid event; undefined when it is. */
export function whyNoEvent(sent: unknown): string | undefined {
  if (!isMapping(sent)) return 'an event is a mapping {name, payload, id}';
  const { name, id } = sent;
  if (typeof name !== 'string' || name === '' || name.length > MAX_LENGTH) {
    return `the name of an event is a string of 1 to ${MAX_LENGTH} characters, got ${JSON.stringify(name)}`;
  }
  const isId = typeof id === 'string' && id !== '' && id.length <= MAX_LENGTH;
  if ((id ?? null) !== null && !isId) {
    return `the id of an event is a string of 1 to ${MAX_LENGTH} characters, got ${JSON.stringify(id)}`;
  }
  return undefined;
}

export function eventInput({ name, payload, id }: SentEvent): Extract<Input, { type: 'externalEvent' }> {
  return { type: 'externalEvent', name, payload: payload ?? null, ...(id ? { id } : {}) };
}
