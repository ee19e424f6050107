/** The run view alone, in a file of its own: all it shows stands in the page (`noetl-temporal view --html`). */
import { render } from 'preact';
import { type JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { type CanonicalEvent, type ExplainedDecision } from '../src/history';
import { type Graph } from '../src/language/dsl/graph/model';
import { type Plan } from '../src/language/plan';
import { StatusBadge } from './parts/status';
import { shownStatus } from './runs/origin';
import { duration, fullMoment } from './parts/time';
import { NoLogs } from './run/logs';
import { RunView } from './run/view';
import { Tape } from './tape/tape';

/** What `noetl-temporal view` writes into the page. */
export interface ViewData {
  readonly plan: Plan;
  readonly graph: Graph;
  readonly events: readonly CanonicalEvent[];
  /** Events that are not among them. */
  readonly leftOut: number;
  readonly decisions: readonly ExplainedDecision[];
  /** Of the playbook; empty where it is not at hand. */
  readonly lines: readonly string[];
}

function View({ plan, graph, events, leftOut, decisions, lines }: ViewData): JSX.Element {
  const tape = useMemo(() => {
    const tape = new Tape(graph);
    tape.take(events);
    tape.leftOut = leftOut;
    return tape;
  }, []);
  const [at, setAt] = useState<number>();
  const [selected, setSelected] = useState<string>();
  const [first, last] = [events[0], events.at(-1)];
  const end = tape.at(events.length);
  return (
    <main class="page page-run">
      <header class="page-head">
        <div>
          <h1>{plan.metadata.path}</h1>
          <p class="where">
            <StatusBadge status={shownStatus(end)} /> · {first?.execution_id} ·{' '}
            {first && fullMoment(first.timestamp)}
            {first && last && ` · ${duration(Date.parse(last.timestamp) - Date.parse(first.timestamp))}`}
          </p>
        </div>
      </header>
      <RunView
        {...{ tape, plan, lines, decisions, at, selected }}
        over
        onExplain={() => undefined}
        onMove={setAt}
        onSelect={setSelected}
        more={{ Logs: () => <NoLogs /> }}
      />
    </main>
  );
}

const data = document.getElementById('run')?.textContent;
const root = document.getElementById('console');
if (data && root) render(<View {...(JSON.parse(data) as ViewData)} />, root);
