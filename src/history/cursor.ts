/** An event id as a cursor: what comes after it, also when the history was read anew, continued or reset meanwhile. */

interface Cursor {
  /** Ordinal of the Temporal run among continuations. */
  readonly chain: number;
  /** What a reset put after it; empty without one. */
  readonly reset: string;
  readonly eventId: number;
  readonly ordinal: number;
}

/** @returns undefined for a text that is no event id */
function parse(id: string): Cursor | undefined {
  const match = /^\d+\/(\d+)(~\w+)?\/(\d+)\/(\d+)$/.exec(id);
  if (!match) return undefined;
  const [, chain, reset = '', eventId, ordinal] = match;
  return { chain: Number(chain), reset, eventId: Number(eventId), ordinal: Number(ordinal) };
}

/**
 * A test of event ids: has the client of this cursor not seen that event? Events of a run that was reset away are no
 * reason to leave out those of the run that replaced it. A cursor that is no event id has seen nothing.
 */
export function unseenAfter(cursor: string | undefined): (eventId: string) => boolean {
  const last = cursor === undefined ? undefined : parse(cursor);
  if (!last) return () => true;
  return (id) => {
    const one = parse(id);
    if (!one) return true;
    // The beginning of a reset run is that of the run it came from; a reset may go back to an earlier run of the chain.
    if (one.reset !== last.reset) return one.reset !== '';
    if (one.chain !== last.chain) return one.chain > last.chain;
    return one.eventId > last.eventId || (one.eventId === last.eventId && one.ordinal > last.ordinal);
  };
}
