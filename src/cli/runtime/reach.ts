/** Connects every command to the Temporal server named by the environment. */
import { connect } from '../../temporal';
import { temporalAt, waitingFor } from '../output/waiting';

/** As `connect`, and prints what it waits for if that takes long. */
export function reach(...args: Parameters<typeof connect>): ReturnType<typeof connect> {
  return waitingFor(temporalAt(args[0].address), connect(...args));
}
