/** How many streams one caller may hold open: each costs a connection, and a history that is followed. */
import { FacadeError } from '../../http/errors';

/** More than the tabs and dashboards of a team behind one token; a program may as well read pages. */
const LIMIT = 250;

export class Streams {
  private readonly open = new Map<string, number>();

  constructor(private readonly limit = LIMIT) {}

  /** @throws FacadeError 429 `TOO_MANY_STREAMS`; what the stream throws */
  async during(caller: string, stream: () => Promise<void>): Promise<void> {
    const before = this.open.get(caller) ?? 0;
    if (before >= this.limit)
      throw new FacadeError(
        429,
        'TOO_MANY_STREAMS',
        `${before} streams of events are open for ${caller}: close one first, or read pages (accept: application/json)`,
      );
    this.open.set(caller, before + 1);
    try {
      await stream();
    } finally {
      const left = this.open.get(caller)! - 1;
      if (left > 0) this.open.set(caller, left);
      else this.open.delete(caller);
    }
  }
}
