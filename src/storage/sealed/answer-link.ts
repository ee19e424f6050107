/**
 * Links under which a form is answered without a token. A link is sealed with the keys of the installation: nobody can
 * make one, or change what it is good for. That it is used once is up to the execution, which takes one answer.
 */
import { type KeyRing, KeyRingError } from '../keyring';

export interface AnswerLink {
  readonly execution_id: string;
  readonly task_run_id: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  /** To whom it was sent. */
  readonly to?: string;
}

const PLACE = 'answer-link';

/** The path of the link at a facade. */
export function answerLinkPath(keys: KeyRing, link: AnswerLink): string {
  return `/answer/${keys.seal(JSON.stringify(link), PLACE).toString('base64url')}`;
}

/** @param text the last part of the path; undefined unless these keys have sealed it */
export function openAnswerLink(keys: KeyRing, text: string): AnswerLink | undefined {
  try {
    return JSON.parse(keys.open(Buffer.from(text, 'base64url'), PLACE).toString('utf8')) as AnswerLink;
  } catch (error) {
    if (error instanceof KeyRingError) return undefined;
    throw error;
  }
}

/** When a link that is made now expires, in milliseconds since the epoch. @param seconds that a link is good for */
export function linkExpires(now: number, seconds: number, until: number | undefined): number {
  return Math.min(now + seconds * 1000, until ?? Number.POSITIVE_INFINITY);
}
