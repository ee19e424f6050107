/**
 * The failure converter of clients, workers and workflows: the SDK's own. Where an execution's payloads are encrypted,
 * its failures' messages and stack traces become payloads too, so that the codec encrypts them like everything else.
 */
import { DefaultFailureConverter, type FailureConverter } from '@temporalio/common';

const open = new DefaultFailureConverter();
const hiding = new DefaultFailureConverter({ encodeCommonAttributes: true });

/**
 * In the workflow sandbox of one execution, which was told so by its own input; outside of it of the whole process,
 * which encrypts or does not.
 */
let hides = false;

/** From now on texts of failures are encoded: an encrypted payload was seen. */
export function hideFailureTexts(): void {
  hides = true;
}

export const failureConverter: FailureConverter = {
  errorToFailure: (error, converter, context) =>
    (hides ? hiding : open).errorToFailure(error, converter, context),
  failureToError: (failure, converter, context) => open.failureToError(failure, converter, context),
};
