import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../../language/errors';
import { followEvents } from '../../../history';
import { isTransient } from '../../../temporal/client';
import { type RecordedRun } from '../recorded-run';

/** A server that does not respond for this long counts as gone. */
const PATIENCE_MS = 120_000;
const PAUSE_MS = 500;

/** The events of an execution as they occur, across lost connections and resets. */
export function followed(
  run: RecordedRun,
  signal: AbortSignal,
  bodies?: boolean,
): ReturnType<typeof followEvents> {
  let since = 0;
  return followEvents({
    converter: run.converter,
    bodies,
    open: () => run.pages({ follow: true, signal }),
    again: async (error, failures) => {
      if (hasCode(error, 'SUPERSEDED')) return true;
      if (signal.aborted || !isTransient(error)) return false;
      if (failures === 1) {
        since = performance.now();
        process.stderr.write('the Temporal server does not respond; waiting for it\n');
      }
      if (performance.now() - since > PATIENCE_MS) return false;
      await sleep(PAUSE_MS);
      return true;
    },
  });
}
