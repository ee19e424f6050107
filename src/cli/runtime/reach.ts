/** The way of every command to the Temporal server that the environment names. */
import { connect } from '../../temporal';
import { waitingFor } from '../output/waiting';

/** As `connect`, and says whom it waits for where that takes long. */
export function reach(...asked: Parameters<typeof connect>): ReturnType<typeof connect> {
  return waitingFor(`the Temporal server at ${asked[0].address}`, connect(...asked));
}
