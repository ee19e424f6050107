/** What is done with many runs at once. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { askApi } from '../server/api';
import { type ExecutionDocument } from '../../src/server/facade/documents';
import { CancelDialog } from '../shell/cancel-dialog';
import { Dialog } from '../shell/dialog';
import { say } from '../shell/toast';

interface Props {
  readonly runs: readonly ExecutionDocument[];
  readonly onDone: () => void;
  readonly onClear: () => void;
}

/** One durable operation: it goes on when the page is closed. */
async function begin(
  verb: 'cancel' | 'rerun',
  runs: readonly ExecutionDocument[],
  options: { reason?: string; cascade?: boolean } = {},
): Promise<void> {
  const executions = runs.map((run) => run.execution_id);
  await askApi('/api/bulk', { body: { verb, executions, ...options } });
  say(`${verb === 'cancel' ? 'Cancelling' : 'Starting again'}: ${String(runs.length)} runs.`);
}

export function BatchActions({ runs, onDone, onClear }: Props): JSX.Element {
  const [asking, setAsking] = useState<'cancel' | 'rerun'>();
  const running = runs.filter((run) => run.end_time === null);
  const cancel = async (reason: string): Promise<void> => {
    await begin('cancel', running, { cascade: true, ...(reason && { reason }) });
    onDone();
  };
  const rerun = async (): Promise<void> => {
    await begin('rerun', runs);
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
        <CancelDialog
          title={`Cancel ${String(running.length)} running ${running.length === 1 ? 'run' : 'runs'}?`}
          verb="Cancel them"
          what="Their tools are stopped, and the sub-playbooks that they started."
          onCancel={cancel}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking === 'rerun' && (
        <Dialog
          title={`Run ${String(runs.length)} ${runs.length === 1 ? 'run' : 'runs'} again?`}
          verb="Run again"
          onDo={rerun}
          onClose={() => setAsking(undefined)}
        >
          <p>Each starts again from its beginning, with the recorded inputs.</p>
        </Dialog>
      )}
    </div>
  );
}
