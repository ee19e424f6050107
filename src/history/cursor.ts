/**
 * An event id as a cursor: selects what comes after it, even if the history was reread, continued or reset in between.
 */

interface Cursor {
  /** Ordinal of the Temporal run among continuations. */
  readonly chain: number;
  /** The suffix added by a reset; empty without one. */
  readonly reset: string;
  readonly eventId: number;
  readonly ordinal: number;
}

/** @returns undefined if the string is not an event id */
function parse(id: string): Cursor | undefined {
  const match = /^\d+\/(\d+)(~\w+)?\/(\d+)\/(\d+)$/.exec(id);
  if (!match) return undefined;
  const [, chain, reset = '', eventId, ordinal] = match;
  return { chain: Number(chain), reset, eventId: Number(eventId), ordinal: Number(ordinal) };
}

/**
 * Events that were delivered, whose ids are remembered by no more than the last one of each Temporal run. A history that
 * is read again begins with the same events; after a reset a run of its own follows, whose ids are others.
 */
export class Seen {
  private readonly last = new Map<string, Cursor>();

  /** @returns whether the event is new; events of a run are added in order */
  add(id: string): boolean {
    const one = parse(id);
    if (!one) return true;
    const run = `${one.chain}${one.reset}`;
    const last = this.last.get(run);
    if (last && !isAfter(one, last)) return false;
    this.last.set(run, one);
    return true;
  }
}

function isAfter(one: Cursor, other: Cursor): boolean {
  return one.eventId > other.eventId || (one.eventId === other.eventId && one.ordinal > other.ordinal);
}

/**
 * A predicate on event ids: whether the client with this cursor has not seen the event. Events of a run that was
 * discarded by a reset must not hide those of the run that replaced it. A cursor that is a number is the position of a row
 * among those of its profile, from 1; any other has seen nothing.
 */
export function unseenAfter(cursor: string | undefined): (eventId: string, position?: number) => boolean {
  if (/^\d+$/.test(cursor ?? '')) return (_id, position = Infinity) => position > Number(cursor);
  const last = cursor === undefined ? undefined : parse(cursor);
  if (!last) return () => true;
  return (id) => {
    const one = parse(id);
    if (!one) return true;
    // A reset run shares its beginning with the run it came from; a reset may go back to an earlier run of the chain.
    if (one.reset !== last.reset) return one.reset !== '';
    if (one.chain !== last.chain) return one.chain > last.chain;
    return isAfter(one, last);
  };
}
