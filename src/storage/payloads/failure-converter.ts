/**
 * The failure converter of clients, workers and workflows: the SDK's own. If an execution's payloads are encrypted, the
 * messages and stack traces of its failures also become payloads, so that the codec encrypts them like everything else.
 */
import { DefaultFailureConverter, type FailureConverter } from '@temporalio/common';

const open = new DefaultFailureConverter();
const hiding = new DefaultFailureConverter({ encodeCommonAttributes: true });

/**
 * On the global object: in the workflow sandbox that is the execution's own (workflows/shared.ts), and its input
 * determines this; outside it holds for the whole process.
 */
const own = globalThis as { noetlHidesFailures?: true };

/** Encodes failure messages from now on: an encrypted payload was seen. */
export function hideFailureTexts(): void {
  own.noetlHidesFailures = true;
}

export const failureConverter: FailureConverter = {
  errorToFailure: (error, converter, context) =>
    (own.noetlHidesFailures ? hiding : open).errorToFailure(error, converter, context),
  failureToError: (failure, converter, context) => open.failureToError(failure, converter, context),
};
