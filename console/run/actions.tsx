/** Actions on a run: those the token permits, with a confirmation where they cannot be undone. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { JsonField, jsonOf, jsonProblem } from '../parts/json-field';
import { askApi } from '../server/api';
import { type Moment, type OpenWait } from '../../src/history/moment';
import { shortTime as timeOf } from '../parts/time';
import { runAddress } from '../shell/address';
import { CancelDialog } from '../shell/cancel-dialog';
import { Dialog } from '../shell/dialog';
import { useMay } from '../shell/session';
import { say, askAndTell } from '../shell/toast';

const OVER: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);

interface Props {
  readonly id: string;
  readonly status: string;
  /** The run has ended. */
  readonly over: boolean;
  readonly onRerun: () => void;
}

export function Actions({ id, status, over, onRerun }: Props): JSX.Element | null {
  const [cancelling, setCancelling] = useState(false);
  const may = useMay('run');
  if (!may) return null;
  const does = (verb: string, message: string): void => askAndTell(`/api/executions/${id}/${verb}`, message);
  const isOver = over || OVER.has(status);
  return (
    <div class="actions" role="group" aria-label="Actions">
      {!isOver && status === 'RUNNING' && (
        <button
          type="button"
          onClick={() => does('pause', 'Pausing: running tasks finish, no new one starts.')}
        >
          Pause
        </button>
      )}
      {!isOver && status === 'PAUSED' && (
        <button type="button" class="primary" onClick={() => does('resume', 'Going on.')}>
          Resume
        </button>
      )}
      {!isOver && (
        <button type="button" class="danger-quiet" onClick={() => setCancelling(true)}>
          Cancel
        </button>
      )}
      <button type="button" onClick={onRerun}>
        Run again
      </button>
      {cancelling && (
        <CancelDialog
          title="Cancel this run?"
          verb="Cancel the run"
          what="Its running tools are stopped, and all sub-playbooks that it started."
          onCancel={(reason) =>
            askApi(`/api/executions/${id}/cancel`, { body: { reason: reason || null, cascade: true } })
          }
          onClose={() => setCancelling(false)}
        />
      )}
    </div>
  );
}

interface RerunProps {
  readonly id: string;
  /** The step to start at; undefined: from the beginning. */
  readonly step?: string;
  /** How the run stood there. */
  readonly moment: Moment;
  /** The playbook's text, for a revision; empty if unknown. */
  readonly source: string;
  readonly onClose: () => void;
}

/** A new run: from the start with other inputs, or from a step with other variables or a revised playbook. */
export function Rerun({ id, step, moment, source, onClose }: RerunProps): JSX.Element {
  const before = step === undefined ? moment.workload : moment.variables;
  const [text, setText] = useState(() => JSON.stringify(before, null, 2));
  const [revised, setRevised] = useState<string>();
  const rerun = async (): Promise<void> => {
    const changes = changed(before, jsonOf(text));
    const { execution_id: newId } = await askApi<{ execution_id: string }>(`/api/executions/${id}/rerun`, {
      body: {
        ...(step === undefined ? { workload: changes } : { from_step: step, variables: changes }),
        ...(revised === undefined ? {} : { playbook: revised }),
      },
    });
    say('A new run began.', runAddress(newId));
  };
  return (
    <Dialog
      title={step === undefined ? 'Run again' : `Run again from ${step}`}
      verb="Run"
      wide
      disabled={jsonProblem(text, true) !== undefined}
      onDo={rerun}
      onClose={onClose}
    >
      <p>
        {step === undefined
          ? 'A new run from the start, with the inputs that were recorded. Change what is to be different.'
          : 'A new run that begins at this step, with the state that this run had there: what ran before is not done again.'}
      </p>
      <JsonField
        label={step === undefined ? 'Workload' : 'Variables'}
        value={text}
        onInput={setText}
        mapping
      />
      {source !== '' && (
        <label class="check">
          <input
            type="checkbox"
            checked={revised !== undefined}
            onChange={(event) => setRevised(event.currentTarget.checked ? source : undefined)}
          />
          with a revised playbook
        </label>
      )}
      {revised !== undefined && (
        <label>
          Playbook
          <textarea
            rows={14}
            spellcheck={false}
            value={revised}
            onInput={(event) => setRevised(event.currentTarget.value)}
          />
        </label>
      )}
    </Dialog>
  );
}

/** Fields that differ from the recorded ones. */
function changed(
  before: Readonly<Record<string, unknown>>,
  after: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
}

/** Events that the run waits for and the user can send. */
export function Waits({ id, waits }: { id: string; waits: readonly OpenWait[] }): JSX.Element | null {
  const [answering, setAnswering] = useState<OpenWait>();
  const [text, setText] = useState('{}');
  const may = useMay('run');
  const events = waits.filter((wait) => wait.event !== undefined);
  if (events.length === 0) return null;
  return (
    <div class="waits" role="group" aria-label="What is waited for">
      {events.slice(0, 5).map((wait) => (
        <p key={wait.taskRun}>
          <strong>{wait.step}</strong> waits for the event <code>{wait.event}</code>
          {wait.until !== undefined && ` until ${timeOf(wait.until)}`}.
          {may && (
            <button type="button" class="primary" onClick={() => setAnswering(wait)}>
              Answer
            </button>
          )}
        </p>
      ))}
      {events.length > 5 && <p>{events.length - 5} more wait.</p>}
      {answering && (
        <Dialog
          title={`Send ${answering.event ?? ''}`}
          verb="Send"
          disabled={jsonProblem(text) !== undefined}
          onDo={async () => {
            await askApi('/api/events', {
              body: { execution_id: id, name: answering.event, payload: jsonOf(text) },
            });
            say(`${answering.event ?? 'The event'} was sent.`);
          }}
          onClose={() => setAnswering(undefined)}
        >
          <p>
            The run goes on with it: what you send is the result of <strong>{answering.step}</strong>.
          </p>
          <JsonField label="Payload" value={text} onInput={setText} />
        </Dialog>
      )}
    </div>
  );
}
