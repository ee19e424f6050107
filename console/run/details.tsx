/** Details of the selected element at the displayed event. */
import { type ComponentChildren, type JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { type Plan } from '../../src/language/plan';
import { Code } from '../parts/code';
import { JsonValue } from '../parts/json';
import { Sign, StatusBadge } from '../parts/status';
import { shownStatus } from '../runs/origin';
import { duration, fullMoment } from '../parts/time';
import { runAddress } from '../shell/address';
import { type LoopStand, type Moment, type StepStand, type StepState } from '../../src/history/moment';
import { spanStateAt, type TapeSpan } from '../tape/spans';
import { type Tape } from '../tape/tape';
import { type StepFacts, factsOf, type LoopFacts, runsOf, stepOf, type TaskError } from './facts';
import { Excerpt } from './source';

interface Props {
  readonly tape: Tape;
  readonly plan: Plan;
  readonly moment: Moment;
  /** Number of events up to the displayed one. */
  readonly count: number;
  readonly selected: string | undefined;
  readonly lines: readonly string[];
  /** The displayed time, in milliseconds since the epoch. */
  readonly at: number;
  readonly onSelect: (selection: string | undefined) => void;
  /** Actions for the selected element. */
  readonly actions?: ComponentChildren;
}

export function Details(props: Props): JSX.Element {
  return props.selected === undefined ? (
    <OfRun {...props} />
  ) : (
    <OfThing {...props} selected={props.selected} />
  );
}

function OfRun({ moment, plan, lines }: Props): JSX.Element {
  const { result = null, error = null } = moment;
  const steps = moment.steps.map(([, stand]) => stand);
  const children = steps.flatMap((stand) => stand.children);
  const called = steps.reduce((sum, stand) => sum + stand.called, 0);
  return (
    <div class="details">
      <StatusBadge status={shownStatus(moment)} />
      {error !== null && <Failure error={error as TaskError} lines={lines} />}
      {result !== null && (
        <Section title="Result">
          <JsonValue value={result} label="the result" />
        </Section>
      )}
      <Section title="Workload">
        <JsonValue value={moment.workload} label="the workload" />
      </Section>
      {children.length > 0 && (
        <Section title="Sub-playbooks">
          <Children of={children} called={called} />
        </Section>
      )}
      {plan.metadata.description && <p class="hint">{plan.metadata.description}</p>}
      <p class="hint">Choose a step in the graph, or a row of the timeline.</p>
    </div>
  );
}

function Children({
  of,
  called,
}: {
  of: readonly { execution: string; path: string }[];
  called: number;
}): JSX.Element {
  return (
    <ul class="children">
      {of.slice(0, 100).map(({ execution, path }) => (
        <li key={execution}>
          <a href={runAddress(execution)}>{path || execution}</a> <small>{execution}</small>
        </li>
      ))}
      {called > 100 && <li>and {called - 100} more</li>}
    </ul>
  );
}

function OfThing(props: Props & { selected: string }): JSX.Element {
  const { tape, plan, moment, count, selected, lines, at, onSelect, actions } = props;
  const facts = useMemo(() => factsOf(tape, selected, count), [tape, selected, count]);
  const name = stepOf(selected)!;
  const step = plan.steps.find((one) => one.name === name);
  const span = tape.spans.get(selected);
  const isStep = selected.startsWith('step:');
  const look = span ? spanStateAt(span, at) : lookOfStep(moment, name);
  const runs = isStep ? runsOf(tape, name, at) : [];
  return (
    <div class="details" data-selected={selected}>
      <button type="button" class="quiet back" onClick={() => onSelect(undefined)}>
        ← The run
      </button>
      <h3>
        <Sign look={look} /> {isStep ? name : selected}
        <span class={`word ${look}`}>{look}</span>
      </h3>
      {step?.desc && <p>{step.desc}</p>}
      {span && (
        <Times from={span.from} to={span.to !== undefined && span.to <= at ? span.to : undefined} at={at} />
      )}
      {actions}
      {facts.error && <Failure error={facts.error} lines={lines} />}
      {runs.length > 1 && <Runs runs={runs} onSelect={onSelect} />}
      {facts.loop && <Loop {...{ loop: facts.loop, onSelect }} stand={countsOf(props, name)} />}
      <FactsList facts={facts} />
      {step && step.at[0] > 0 && (
        <Section title="In the playbook">
          <Excerpt lines={lines} line={step.at[0]} tail={6} />
        </Section>
      )}
    </div>
  );
}

function Runs({
  runs,
  onSelect,
}: {
  runs: readonly TapeSpan[];
  onSelect: (id: string) => void;
}): JSX.Element {
  return (
    <Section title={`Runs of this step: ${String(runs.length)}`}>
      <ul class="children">
        {runs.slice(-50).map((run) => (
          <li key={run.id}>
            <button type="button" class="link" onClick={() => onSelect(run.id)}>
              {run.id}
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The engine's counts of a loop, if not all of its events are at hand. */
function countsOf({ tape, moment }: Props, step: string): LoopStand | undefined {
  return tape.isWhole ? undefined : standOf(moment, step)?.loop;
}

/** Further failures are only counted; the timeline has them. */
const MOST_FAILED = 50;

interface LoopProps {
  readonly loop: LoopFacts;
  /** The engine's counts, if not all events are at hand. */
  readonly stand: LoopStand | undefined;
  readonly onSelect: (id: string) => void;
}

function Loop({ loop, stand, onSelect }: LoopProps): JSX.Element {
  const { failed, results } = loop;
  const { total, done, failed: failures } = stand ?? { ...loop, failed: failed.length };
  const open = total === undefined ? 0 : Math.max(0, total - done - failures);
  const counts = [`${String(done)} done`, `${String(failures)} failed`];
  if (open > 0) counts.push(`${String(open)} not ended`);
  return (
    <>
      <Section title={`Iterations${total === undefined ? '' : `: ${String(total)}`}`}>
        <p class="where" data-loop-done={done} data-loop-failed={failures}>
          {counts.join(' · ')}
        </p>
        {failed.length > 0 && (
          <ul class="children failed-iterations">
            {failed.slice(0, MOST_FAILED).map(({ id, index, error }) => (
              <li key={id}>
                <button type="button" class="link" onClick={() => onSelect(id)}>
                  [{index}]
                </button>{' '}
                {error?.code && <Code of={error.code} />} {error?.message}
              </li>
            ))}
            {failed.length > MOST_FAILED && <li>and {failed.length - MOST_FAILED} more</li>}
          </ul>
        )}
      </Section>
      {results.length > 0 && !stand && (
        <Section title="Results of the iterations">
          <JsonValue value={results} label="the results" />
        </Section>
      )}
    </>
  );
}

function lookOfStep(moment: Moment, name: string): StepState {
  return standOf(moment, name)?.look ?? 'waiting';
}

function standOf({ steps }: Moment, name: string): StepStand | undefined {
  return steps.find(([step]) => step === name)?.[1];
}

/** Input, output, and where it ran. */
function FactsList({ facts }: { facts: StepFacts }): JSX.Element {
  return (
    <>
      {facts.child && (
        <Section title="Sub-playbook">
          <a href={runAddress(facts.child.execution_id)}>{facts.child.path || facts.child.execution_id}</a>
        </Section>
      )}
      {facts.input !== undefined && (
        <Section title="Input">
          <JsonValue value={facts.input} label="the input" />
        </Section>
      )}
      {facts.output !== undefined && (
        <Section title="Output">
          <JsonValue value={facts.output} label="the output" />
        </Section>
      )}
      {facts.worker && (
        <p class="where">
          on worker <code>{facts.worker}</code>
          {(facts.tries ?? 1) > 1 && `, try ${String(facts.tries)} after a worker was lost`}
        </p>
      )}
    </>
  );
}

function Times({ from, to, at }: { from: number; to: number | undefined; at: number }): JSX.Element {
  return (
    <p class="where">
      <time dateTime={new Date(from).toISOString()}>{fullMoment(new Date(from).toISOString())}</time> ·{' '}
      {duration((to ?? at) - from)}
      {to === undefined && ' so far'}
    </p>
  );
}

function Section({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section>
      <h4>{title}</h4>
      {children}
    </section>
  );
}

function Failure({ error, lines }: { error: TaskError; lines: readonly string[] }): JSX.Element {
  return (
    <div class="failure" role="note">
      <p>
        {error.code && <Code of={error.code} />} {error.message ?? JSON.stringify(error)}
      </p>
      {error.hint && <p class="hint">{error.hint}</p>}
      {error.at && <Excerpt lines={lines} line={error.at[0]} />}
    </div>
  );
}
