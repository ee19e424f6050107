import { createHash } from 'node:crypto';
import { canonicalJson, type Plan } from '../plan';

/** SHA-256 of a text (as UTF-8), hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** The digest of a plan: of the canonical JSON of everything else in it. */
export function digestOf(plan: Omit<Plan, 'digest'>): string {
  const { digest: _, ...rest } = plan as Plan;
  return sha256(canonicalJson(rest));
}
