/** Which events of a long run a page that holds them all shows: all of its steps, and not each of 100,000 iterations. */
import { type CanonicalEvent } from './events';

/** Events of iterations that are kept; of later ones only the failures. */
const KEPT = 50_000;

export class Overview {
  private ofIterations = 0;
  /** How many events it has left out. */
  leftOut = 0;

  constructor(private readonly kept = KEPT) {}

  readonly keeps = ({ iteration, status }: CanonicalEvent): boolean => {
    if (iteration === undefined || status === 'error' || this.ofIterations++ < this.kept) return true;
    this.leftOut++;
    return false;
  };
}
