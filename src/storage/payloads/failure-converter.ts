/**
 * The failure converter of clients, workers and workflows: the SDK's own. If an execution's payloads are encrypted, the
 * messages and stack traces of its failures also become payloads, so that the codec encrypts them like everything else.
 */
import { DefaultFailureConverter, type FailureConverter } from '@temporalio/common';

const open = new DefaultFailureConverter();
const hiding = new DefaultFailureConverter({ encodeCommonAttributes: true });

/**
 * In the workflow sandbox this holds per execution, as determined by its input; outside it holds for the whole process.
 */
let hides = false;

/** Encodes failure messages from now on: an encrypted payload was seen. */
export function hideFailureTexts(): void {
  hides = true;
}

export const failureConverter: FailureConverter = {
  errorToFailure: (error, converter, context) =>
    (hides ? hiding : open).errorToFailure(error, converter, context),
  failureToError: (failure, converter, context) => open.failureToError(failure, converter, context),
};
