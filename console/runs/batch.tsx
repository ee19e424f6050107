/** What is done with many runs at once. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CheckBox } from '../parts/check-box';
import { Loading, ProblemNote } from '../parts/empty';
import { TextField } from '../parts/text-field';
import { askApi } from '../server/api';
import { useLoaded } from '../server/use';
import { type BulkDocument, type ExecutionDocument } from '../../src/server/facade/documents';
import { Dialog } from '../shell/dialog';
import { say } from '../shell/toast';
import { causeText } from './causes';

interface Props {
  readonly runs: readonly ExecutionDocument[];
  /** How many match the filters, and the filters as a bulk operation has them; with these, all that match can be selected. */
  readonly matching?: { readonly total: number; readonly where: (statuses?: string) => string };
  readonly onDone: () => void;
  readonly onClear: () => void;
}

type Verb = 'cancel' | 'rerun';

export function BatchActions({ runs, matching, onDone, onClear }: Props): JSX.Element {
  const [asking, setAsking] = useState<Verb>();
  const [isAll, setIsAll] = useState(false);
  const count = isAll && matching ? matching.total : runs.length;
  const target = (verb: Verb): object => {
    if (isAll && matching) return { where: matching.where(verb === 'cancel' ? 'running' : undefined) };
    const some = verb === 'cancel' ? runs.filter((run) => run.end_time === null) : runs;
    return { executions: some.map((run) => run.execution_id) };
  };
  return (
    <div class="batch" role="group" aria-label="Selected runs">
      <strong>{count} selected</strong>
      {matching && matching.total > runs.length && (
        <button type="button" class="quiet" onClick={() => setIsAll(!isAll)}>
          {isAll ? 'Only those that are ticked' : `Select all ${String(matching.total)} that match`}
        </button>
      )}
      <button
        type="button"
        disabled={!isAll && runs.every((run) => run.end_time !== null)}
        onClick={() => setAsking('cancel')}
      >
        Cancel
      </button>
      <button type="button" onClick={() => setAsking('rerun')}>
        Run again
      </button>
      <button type="button" class="quiet" onClick={onClear}>
        Clear
      </button>
      {asking && (
        <BulkDialog
          verb={asking}
          target={target(asking)}
          onDone={onDone}
          onClose={() => setAsking(undefined)}
        />
      )}
    </div>
  );
}

interface BulkProps {
  readonly verb: Verb;
  /** Of the request: `where` or `executions`. */
  readonly target: object;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Says which runs are meant before it begins one durable operation, which goes on when the page is closed. */
function BulkDialog({ verb, target, onDone, onClose }: BulkProps): JSX.Element {
  const [reason, setReason] = useState('');
  const [fromFailure, setFromFailure] = useState(false);
  const isCancel = verb === 'cancel';
  const { value, error } = useLoaded<BulkDocument>(
    (signal) => askApi('/api/bulk', { body: { verb, ...target, dry_run: true }, signal }),
    [],
  );
  const total = value?.total ?? 0;
  const runs = `${String(total)} ${total === 1 ? 'run' : 'runs'}`;
  const begin = async (): Promise<void> => {
    const { bulk_id: id, executions } = value ?? {};
    const options = isCancel ? { cascade: true, ...(reason && { reason }) } : { from_failure: fromFailure };
    await askApi('/api/bulk', { body: { verb, executions, id, ...options } });
    say(`${isCancel ? 'Cancelling' : 'Starting again'}: ${runs}.`);
    onDone();
  };
  return (
    <Dialog
      title={isCancel ? `Cancel ${runs}?` : `Run ${runs} again?`}
      verb={isCancel ? 'Cancel them' : 'Run again'}
      dangerous={isCancel}
      disabled={total === 0}
      onDo={begin}
      onClose={onClose}
    >
      {!value && !error && <Loading what="Counting" />}
      {error && <ProblemNote error={error} />}
      <p>
        {isCancel
          ? 'Their tools are stopped, and the sub-playbooks that they started. This cannot be undone.'
          : `Each starts again ${fromFailure ? 'at the step that failed, with what it had there' : 'from its beginning, with the recorded inputs'}.`}
      </p>
      {value && value.causes.length > 0 && (
        <ul class="meant">
          {value.causes.slice(0, 8).map((cause) => (
            <li key={JSON.stringify(cause)}>
              {cause.count} × {cause.path} <small>{causeText(cause)}</small>
            </li>
          ))}
        </ul>
      )}
      {!isCancel && (
        <CheckBox label="Begin at the step that failed" checked={fromFailure} onCheck={setFromFailure} />
      )}
      {isCancel && <TextField label="Reason" maxLength={1000} value={reason} onInput={setReason} />}
    </Dialog>
  );
}
