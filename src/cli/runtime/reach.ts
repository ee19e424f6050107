/** The way of every command to the Temporal server that the environment names. */
import { connect } from '../../temporal';
import { temporalAt, waitingFor } from '../output/waiting';

/** As `connect`, and says whom it waits for where that takes long. */
export function reach(...asked: Parameters<typeof connect>): ReturnType<typeof connect> {
  return waitingFor(temporalAt(asked[0].address), connect(...asked));
}
