import { sha256 as digest } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson, type Plan } from '../plan';

/** SHA-256 of a text (as UTF-8), hex. Without `node:crypto`, because the compiler also runs in browsers. */
export function textSha256(text: string): string {
  return bytesToHex(digest(utf8ToBytes(text)));
}

/** The digest of a plan: of the canonical JSON of all its other fields. */
export function planDigest(plan: Omit<Plan, 'digest'>): string {
  const { digest: _, ...rest } = plan as Plan;
  return textSha256(canonicalJson(rest));
}
