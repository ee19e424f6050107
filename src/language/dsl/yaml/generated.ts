import { type Located } from '../diagnostics/diagnostic';
import { type Scalar, type ScalarNode } from './node';

/** A node that the compiler writes; its position is that of what it was made from. */
export function scalar(at: Located, value: Scalar): ScalarNode {
  return { kind: 'scalar', value, offsetOf: () => at.start, start: at.start, end: at.end, path: at.path };
}
