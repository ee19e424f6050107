/** The run view alone, in a file of its own that has the history and the reader in it (`noetl-temporal view --html`). */
import { type JSX, render } from 'preact';
import { useState } from 'preact/hooks';
import { Loading, ProblemNote } from './parts/empty';
import { StatusBadge } from './parts/status';
import { duration, fullMoment } from './parts/time';
import { NoLogs } from './run/logs';
import { useReader } from './run/reading';
import { RunView } from './run/view';
import { shownStatus } from './runs/origin';
import { useMoment } from './tape/moment';

/** What `noetl-temporal view` writes into the page, beside the history. */
export interface ViewData {
  /** Script of the worker that reads histories. */
  readonly reader: string;
  /** Of the playbook; empty where it is not at hand. */
  readonly lines: readonly string[];
}

const contentOf = (id: string): string => document.getElementById(id)?.textContent ?? '';
const { reader, lines } = JSON.parse(contentOf('run')) as ViewData;
const files = [new Blob([contentOf('history')])];
Object.assign(globalThis, { READER_URL: URL.createObjectURL(new Blob([reader])) });

function View(): JSX.Element {
  const { reading, explain, ask } = useReader({ files }, '');
  const { tape, plan, over, failed, decisions } = reading;
  const [at, setAt] = useState<number>();
  const [selected, setSelected] = useState<string>();
  const end = useMoment(ask, tape && over ? tape.seqAt(tape.total) : 0);
  if (failed) return <ProblemNote error={failed} />;
  if (!tape || !plan || !end) return <Loading what="Reading the run" />;
  const [first, last] = [tape.events[0]!, tape.events.at(-1)!];
  return (
    <main class="page page-run">
      <header class="page-head">
        <div>
          <h1>{plan.metadata.path}</h1>
          <p class="where">
            <StatusBadge status={shownStatus(end)} /> · {first.execution_id} · {fullMoment(first.timestamp)} ·{' '}
            {duration(Date.parse(last.timestamp) - Date.parse(first.timestamp))}
          </p>
        </div>
      </header>
      <RunView
        {...{ tape, plan, over, lines, decisions, at, selected, ask }}
        onExplain={() => explain(lines)}
        onMove={setAt}
        onSelect={setSelected}
        more={{ Logs: () => <NoLogs /> }}
      />
    </main>
  );
}

const root = document.getElementById('console');
if (root) render(<View />, root);
