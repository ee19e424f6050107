/** In whose turn an execution's tasks wait for workers: in one of few that its caller has. */
import { createHash } from 'node:crypto';
import { LOCAL } from '../http/authenticate';

/**
 * Each caller has so many: whoever starts more executions than others has no more turns than they, and one execution of a
 * caller delays a part of its others.
 */
const TURNS = 16;

/** Of the tasks of this execution; undefined where nobody has to say who they are: each of theirs has a turn of its own. */
export function turnOf(caller: string, executionId: string): string | undefined {
  if (caller === LOCAL.name) return undefined;
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return `${hash(caller).toString('hex', 0, 8)}-${hash(executionId)[0]! % TURNS}`;
}
