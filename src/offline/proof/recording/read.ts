/** Reads recordings from histories. */
import { CodedError } from '../../../language/errors';
import { Derivation, type DerivationOptions, type Pages } from '../../../history';
import { type Beginning, CallRecorder } from './recorder';
import { type Recording } from './recording';

/**
 * The recording of an execution, from the histories of its runs.
 *
 * @throws CodedError `HISTORY` when this is not the history of a playbook, or this release does not reproduce it;
 *   `STORAGE_NOT_CONFIGURED`, `BLOB_UNAVAILABLE` when values it refers to cannot be fetched
 */
export async function readRecording(
  pages: Pages,
  { progress, ...options }: Pick<DerivationOptions, 'converter' | 'workflowId' | 'progress'> = {},
): Promise<Recording> {
  const recorder = new CallRecorder();
  let beginning: Beginning | undefined;
  let events = 0;
  const derivation = new Derivation({
    ...options,
    bodies: true,
    silent: true,
    watcher: {
      begins: ({ plan, executionId, state }) => {
        beginning ??= { plan, executionId, ...(state && { state: structuredClone(state) }) };
      },
      applying: (batch, chunk) => recorder.applying(batch, chunk),
      applied: (batch, applied, chunk) => {
        recorder.applied(batch, applied, chunk);
        progress?.((events += applied.events.length));
      },
    },
  });
  for await (const page of pages) await derivation.pass(page);
  if (derivation.divergence)
    throw new CodedError(
      'HISTORY',
      `this release does not reproduce the history: ${derivation.divergence.message}`,
    );
  const recording = beginning && recorder.recording(beginning);
  if (!recording) throw new CodedError('HISTORY', 'nothing has run yet: there are no events');
  return recording;
}
