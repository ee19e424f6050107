/** Decisions of the run: the guards evaluated, the values they saw, and the outcome. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Considered, type ExplainedDecision } from '../../src/history';
import { JsonValue } from '../parts/json';
import { shortTime as timeOf } from '../parts/time';
import { stepOf } from './facts';

const AT_FIRST = 100;

interface Props {
  readonly decisions: readonly ExplainedDecision[];
  /** `seq` of the displayed event. */
  readonly seq: number;
  readonly selected: string | undefined;
}

export function Decisions({ decisions, seq, selected }: Props): JSX.Element {
  const [shown, setShown] = useState(AT_FIRST);
  const mine = decisions.filter((decision) => decision.seq <= seq && isAbout(decision, selected));
  if (mine.length === 0)
    return (
      <p class="hint">{selected ? 'Nothing was decided here by then.' : 'Nothing was decided by then.'}</p>
    );
  const latest = mine.slice(-shown).reverse();
  return (
    <ol class="decisions">
      {latest.map((decision, index) => (
        <li key={`${String(decision.seq)}-${String(index)}`} data-kind={decision.kind}>
          <div class="decision-head">
            <span class="kind">{decision.kind}</span>
            <time dateTime={decision.timestamp}>{timeOf(decision.timestamp)}</time>
          </div>
          <p>{decision.summary}</p>
          {decision.details.map((line, at) => (
            <p key={at} class="hint">
              {line}
            </p>
          ))}
          {decision.considered.length > 0 && <Table considered={decision.considered} />}
          {decision.at?.source && (
            <pre class="excerpt" tabIndex={0} role="region" aria-label="Line of the playbook">
              <span class="here">
                <i>{decision.at.line}</i>
                {decision.at.source.trim()}
              </span>
            </pre>
          )}
        </li>
      ))}
      {mine.length > shown && (
        <li>
          <button type="button" class="quiet" onClick={() => setShown(shown + 500)}>
            {mine.length - shown} earlier
          </button>
        </li>
      )}
    </ol>
  );
}

function Table({ considered }: { considered: readonly Considered[] }): JSX.Element {
  return (
    <ul class="considered">
      {considered.map((one, index) => (
        <li key={index} class={one.won ? 'won' : ''}>
          <div>
            <strong>{one.what}</strong> <span class="verdict">{one.verdict}</span>
          </div>
          {one.guard && <code>{one.guard}</code>}
          {one.values && Object.keys(one.values).length > 0 && (
            <JsonValue value={one.values} open={1} label="the values" />
          )}
        </li>
      ))}
    </ul>
  );
}

function isAbout(decision: ExplainedDecision, selected: string | undefined): boolean {
  if (selected === undefined) return true;
  if (selected.startsWith('step:')) return decision.step === selected.slice(5);
  if (decision.step !== stepOf(selected)) return false;
  const { step_run_id: run, task_run_id: task } = decision;
  return run === selected || (task?.startsWith(selected) ?? false) || selected.startsWith(`${run ?? ' '}[`);
}
