import { mended } from './mend';
import { type UpgradeNote, notesOf } from './notes';

/** The result of an upgrade. */
export interface Upgraded {
  readonly text: string;
  /** The number of rewritten constructs. */
  readonly rewrites: number;
  /** What remains to be done by hand, in the order of the (new) text. */
  readonly notes: readonly UpgradeNote[];
}

/**
 * Rewrites a playbook of any generation to the current spelling: every fix that the compiler offers is made in its
 * text, so that comments, order, quotes and blank lines are kept. A playbook that compiles keeps the meaning of its
 * Plan. The result is a fixed point.
 *
 * @example upgrade('…set_ctx: {page: 1}…').text // '…set: {ctx.page: 1}…'
 */
export function upgrade(text: string): Upgraded {
  const { text: rewritten, fixes, compiled } = mended(text, {}, 'all');
  return { text: rewritten, rewrites: fixes, notes: notesOf(compiled) };
}
