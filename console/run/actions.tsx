/** Actions on a run: those the token permits, with a confirmation where they cannot be undone. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { JsonField, jsonOf, jsonProblem } from '../parts/json-field';
import { differentInputs, type GivenInputs, haveProblems, FormInputs } from '../parts/inputs';
import { askApi } from '../server/api';
import { formFields } from '../../src/language/plan/forms';
import { type OpenWait } from '../../src/history/moment';
import { shortTime as timeOf } from '../parts/time';
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
          <strong>{wait.step}</strong>{' '}
          {wait.form ? `asks: ${wait.form.title ?? wait.event ?? ''}` : 'waits for the event '}
          {!wait.form && <code>{wait.event}</code>}
          {wait.until !== undefined && ` until ${timeOf(wait.until)}`}.
          {(may || wait.form) && (
            <button type="button" class="primary" onClick={() => setAnswering(wait)}>
              Answer
            </button>
          )}
        </p>
      ))}
      {events.length > 5 && <p>{events.length - 5} more wait.</p>}
      {answering?.form && <Answer id={id} wait={answering} onClose={() => setAnswering(undefined)} />}
      {answering && !answering.form && (
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

/** A form, which the server checks; whether this user may answer, it says too. */
function Answer({ id, wait, onClose }: { id: string; wait: OpenWait; onClose: () => void }): JSX.Element {
  const [given, setGiven] = useState<GivenInputs>({});
  const [rejects, setRejects] = useState(false);
  const [reason, setReason] = useState('');
  const form = wait.form!;
  const fields = formFields(form);
  // A box that is not ticked is an answer.
  const boxes = fields
    .filter(({ kind }) => kind === 'boolean')
    .map((one) => [one.name, one.default === true]);
  const answer = async (): Promise<void> => {
    const values = { ...Object.fromEntries(boxes), ...differentInputs(fields, given) };
    const body = { task_run_id: wait.taskRun, answer: rejects ? { rejected: true, reason } : values };
    await askApi(`/api/executions/${id}/answer`, { body });
    say(rejects ? 'Rejected.' : 'Answered.');
  };
  return (
    <Dialog
      title={form.title ?? wait.step}
      verb={rejects ? 'Reject' : 'Answer'}
      dangerous={rejects}
      disabled={!rejects && haveProblems(fields, given)}
      onDo={answer}
      onClose={onClose}
    >
      {form.text !== null && <p class="form-text">{form.text}</p>}
      {!rejects && <FormInputs fields={fields} given={given} onGive={setGiven} />}
      <label class="check">
        <input
          type="checkbox"
          name="rejected"
          checked={rejects}
          onChange={(event) => setRejects(event.currentTarget.checked)}
        />
        Reject it
      </label>
      {rejects && (
        <label>
          Reason
          <input name="reason" value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
      )}
    </Dialog>
  );
}
