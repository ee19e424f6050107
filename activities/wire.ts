/** An activity as Temporal sees it: calls and outcomes in their wire format (src/plan/wire.ts). */
import { ApplicationFailure } from '@temporalio/common';
import {
  type ActivityIdentity,
  isMapping,
  type Outcome,
  packOutcome,
  type TaskCall,
  unpackCall,
  type WireCall,
  type WireOutcome,
} from '../src/plan';

export function onTheWire(
  activity: (call: TaskCall) => Promise<Outcome>,
  identity: () => ActivityIdentity,
): (wire: WireCall) => Promise<WireOutcome> {
  return async (wire) => {
    try {
      return packOutcome(await activity(unpackCall(wire, identity())));
    } catch (error) {
      throw error instanceof ApplicationFailure ? withPackedDetails(error) : error;
    }
  };
}

function withPackedDetails(failure: ApplicationFailure): ApplicationFailure {
  const [outcome] = failure.details ?? [];
  if (!isMapping(outcome) || !isMapping(outcome['error'])) return failure;
  const { message, type } = failure;
  const details = [packOutcome(outcome as Outcome)];
  const nonRetryable = failure.nonRetryable ?? true;
  const packed = ApplicationFailure.create({ message, type: type ?? undefined, nonRetryable, details });
  packed.stack = failure.stack;
  return packed;
}
