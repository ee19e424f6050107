/** How large values may be. A value's size is that of its JSON, in characters. */
import { jsonSize } from '../template/values/json-size';

export { jsonSize, levelsOf, rememberSize, unchanging } from '../template/values/json-size';

const MIB = 1024 * 1024;

/** Of one value: a result, an input, a variable, the payload of an event. */
export const MAX_VALUE_SIZE = 16 * MIB;

/** Of everything that an execution keeps. */
export const MAX_STATE_SIZE = 64 * MIB;

/** In errors: `16 MiB`. */
export function inMiB(size: number): string {
  return `${size / MIB} MiB`;
}

/** Values up to this size are written to show their beginning. */
const MAX_SHOWN = MIB;

/** The value as JSON for people, cut to `most` characters; of a very large value, how large it is. */
export function excerpt(value: unknown, most = 200): string {
  const size = jsonSize(value ?? null);
  if (size > MAX_SHOWN) {
    if (typeof value === 'string') return `${JSON.stringify(value.slice(0, most))}…`;
    return `a ${Array.isArray(value) ? 'list' : 'mapping'} of ${size} characters or more`;
  }
  const text = JSON.stringify(value ?? null);
  return text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text;
}
