import { AtOnce } from '../../http/at-once';
import { FacadeError } from '../declare';

/** More than a team behind one token needs for tabs and dashboards; programs can read pages instead. */
const LIMIT = 250;

/** Limits the open streams per caller: each costs a connection, and a history that is followed. */
export class Streams extends AtOnce {
  constructor(limit = LIMIT) {
    super(
      limit,
      (open, caller) =>
        new FacadeError(
          429,
          'TOO_MANY_STREAMS',
          `${open} streams of events are open for ${caller}: close one first, or read pages (accept: application/json)`,
        ),
    );
  }
}
