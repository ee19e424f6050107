/** Converts calls and outcomes of an activity from and to their wire format (src/language/plan/wire.ts). */
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
  withoutDetails,
} from '../../../src/language/plan';
import { DEFAULT_INLINE_BYTES, grantOf, limitInline, withGrant } from '../../../src/storage/payloads';

export function onTheWire(
  activity: (call: TaskCall) => Promise<Outcome>,
  identity: () => ActivityIdentity,
): (wire: WireCall) => Promise<WireOutcome> {
  return async (wire) => {
    const inlineBytes = wire.inline_bytes ?? DEFAULT_INLINE_BYTES;
    try {
      const call = withGrant(unpackCall(wire, identity()), grantOf(wire));
      return limitInline(packOutcome(withoutDetails(await activity(call), call)), inlineBytes);
    } catch (error) {
      throw error instanceof ApplicationFailure ? withPackedDetails(error, inlineBytes) : error;
    }
  };
}

function withPackedDetails(failure: ApplicationFailure, inlineBytes: number): ApplicationFailure {
  const [outcome] = failure.details ?? [];
  if (!isMapping(outcome) || !isMapping(outcome['error'])) return failure;
  const { message, type } = failure;
  const details = [limitInline(packOutcome(outcome as Outcome), inlineBytes)];
  const nonRetryable = failure.nonRetryable ?? true;
  const packed = ApplicationFailure.create({ message, type: type ?? undefined, nonRetryable, details });
  packed.stack = failure.stack;
  return packed;
}
