import { FacadeError } from '../declare';
/** Limits the open streams per caller: each costs a connection, and a history that is followed. */

/** More than a team behind one token needs for tabs and dashboards; programs can read pages instead. */
const LIMIT = 250;

export class Streams {
  private readonly open = new Map<string, number>();

  constructor(private readonly limit = LIMIT) {}

  /** @throws FacadeError 429 `TOO_MANY_STREAMS`; errors of the stream */
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
