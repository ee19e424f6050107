/** What is done with many runs at once. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ask, type ServerError } from '../server/api';
import { type Execution } from '../server/types';
import { Dialog } from '../shell/dialog';
import { say } from '../shell/toast';

interface Props {
  readonly runs: readonly Execution[];
  readonly onDone: () => void;
  readonly onClear: () => void;
}

/** One after the other: a facade that limits requests is not run over. */
async function each(
  runs: readonly Execution[],
  act: (run: Execution) => Promise<unknown>,
  did: string,
): Promise<void> {
  const refused: string[] = [];
  for (const run of runs) {
    await act(run).catch((error: ServerError) => refused.push(error.message));
  }
  const count = runs.length - refused.length;
  say(`${did} ${String(count)} of ${String(runs.length)} runs.${refused[0] ? ` ${refused[0]}` : ''}`);
}

export function Batch({ runs, onDone, onClear }: Props): JSX.Element {
  const [asking, setAsking] = useState<'cancel' | 'rerun'>();
  const [reason, setReason] = useState('');
  const running = runs.filter((run) => run.end_time === null);
  const cancel = async (): Promise<void> => {
    await each(
      running,
      (run) =>
        ask(`/api/executions/${run.execution_id}/cancel`, {
          body: { reason: reason || null, cascade: true },
        }),
      'Cancelled',
    );
    onDone();
  };
  const rerun = async (): Promise<void> => {
    await each(
      runs,
      (run) => ask(`/api/executions/${run.execution_id}/rerun`, { body: {} }),
      'Started again',
    );
    onDone();
  };
  return (
    <div class="batch" role="group" aria-label="Selected runs">
      <strong>{runs.length} selected</strong>
      <button type="button" disabled={running.length === 0} onClick={() => setAsking('cancel')}>
        Cancel
      </button>
      <button type="button" onClick={() => setAsking('rerun')}>
        Run again
      </button>
      <button type="button" class="quiet" onClick={onClear}>
        Clear
      </button>
      {asking === 'cancel' && (
        <Dialog
          title={`Cancel ${String(running.length)} running ${running.length === 1 ? 'run' : 'runs'}?`}
          verb="Cancel them"
          dangerous
          onDo={cancel}
          onClose={() => setAsking(undefined)}
        >
          <p>Their tools are stopped, and the sub-playbooks that they started. This cannot be undone.</p>
          <label>
            Reason
            <input
              value={reason}
              maxLength={1000}
              onInput={(event) => setReason(event.currentTarget.value)}
            />
          </label>
        </Dialog>
      )}
      {asking === 'rerun' && (
        <Dialog
          title={`Run ${String(runs.length)} ${runs.length === 1 ? 'run' : 'runs'} again?`}
          verb="Run again"
          onDo={rerun}
          onClose={() => setAsking(undefined)}
        >
          <p>Each begins anew, from its start, with the inputs that were recorded.</p>
        </Dialog>
      )}
    </div>
  );
}
