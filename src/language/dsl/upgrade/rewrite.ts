import { type Located } from '../diagnostics/diagnostic';
import { type MapNode } from '../yaml/node';
import { type Edit } from './text';

/** The playbook during one pass. */
export interface RewriteSource {
  readonly text: string;
  readonly root: MapNode;
}

/** One mechanical change: its edits are applied all or none. */
export interface Rewrite {
  readonly what: string;
  readonly at: Located;
  readonly edits: readonly Edit[];
}

/** Finds what a rule can rewrite in a text. Finds nothing in its own output. */
export type RewriteRule = (source: RewriteSource) => Rewrite[];

/** The rewrites that do not overlap, in order; the next pass handles the rest. */
export function compatible(rewrites: readonly Rewrite[]): Rewrite[] {
  const taken: { start: number; end: number }[] = [];
  return rewrites.filter(({ edits }) => {
    if (edits.length === 0) return false;
    const start = Math.min(...edits.map((edit) => edit.start));
    const end = Math.max(...edits.map((edit) => edit.end));
    if (taken.some((other) => start <= other.end && other.start <= end)) return false;
    taken.push({ start, end });
    return true;
  });
}
