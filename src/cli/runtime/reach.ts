/** Connects every command to the Temporal server named by the environment. */
import { connect } from '../../temporal';
import { temporalAt, waitingFor } from '../output/waiting';

/** As `connect`, and prints what it waits for if that takes long. */
export function reach(...asked: Parameters<typeof connect>): ReturnType<typeof connect> {
  return waitingFor(temporalAt(asked[0].address), connect(...asked));
}
