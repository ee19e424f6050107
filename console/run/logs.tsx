/** Output of tasks: live, or up to the displayed time. */
import { type JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Ansi } from '../parts/ansi';
import { Loading, ProblemNote } from '../parts/empty';
import { fullMoment, shortTime as timeOf } from '../parts/time';
import { VirtualRows } from '../parts/virtual';
import { stepOf } from './facts';
import { type PlacedLine, useLogs } from './log-stream';
import { type ShownMoment } from './view';

const ROW = 24;
/** Characters of a line shown in its row; a click shows the whole line. */
const DRAWN = 500;

const WORDS: Readonly<Record<string, string>> = { stderr: 'stderr', error: 'failed', notice: 'notice' };

export function LogsTab({ id, selected, until }: ShownMoment & { id: string }): JSX.Element {
  const logs = useLogs(id, stepOf(selected));
  const lines = useMemo(
    () =>
      logs.lines.filter(
        (line) => isOf(line, selected) && (until === undefined || Date.parse(line.at) <= until),
      ),
    [logs.lines, selected, until],
  );
  const [open, setOpen] = useState<string>();
  const shown = lines.find((line) => line.id === open);
  if (!logs.begun)
    return logs.error ? <ProblemNote error={logs.error} /> : <Loading what="Reading the logs" />;
  return (
    <div class="events logs">
      {logs.error && <ProblemNote error={logs.error} />}
      {logs.dropped > 0 && (
        <p class="hint">
          {logs.dropped} earlier lines are not shown: <code>noetl-temporal logs {id}</code> prints them.
        </p>
      )}
      {lines.length === 0 ? (
        <Silence over={logs.over} selected={selected} past={until !== undefined} />
      ) : (
        <VirtualRows
          label="Log lines, oldest first"
          role="listbox"
          count={lines.length}
          rowHeight={ROW}
          tail
          row={(index) => {
            const line = lines[index]!;
            const isOpen = line.id === open;
            return (
              <Row key={line.id} {...{ line, isOpen }} onOpen={() => setOpen(isOpen ? undefined : line.id)} />
            );
          }}
        />
      )}
      {shown && <Whole line={shown} />}
    </div>
  );
}

interface RowProps {
  readonly line: PlacedLine;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

function Row({ line: of, isOpen, onOpen }: RowProps): JSX.Element {
  const { at, stream, line } = of;
  return (
    <button
      type="button"
      role="option"
      aria-selected={isOpen}
      class={`log-row${isOpen ? ' selected' : ''}`}
      data-stream={stream}
      onClick={onOpen}
    >
      <time dateTime={at}>{timeOf(at)}</time>
      <span class="log-task" title={of.task_run_id}>
        {nameOf(of)}
      </span>
      {WORDS[stream] && <span class="log-mark">{WORDS[stream]}</span>}
      <code>
        <Ansi text={line.slice(0, DRAWN)} />
      </code>
    </button>
  );
}

/** A task without a label is named after its step. */
function nameOf({ step, task, iteration }: PlacedLine): string {
  const name = task === `${step}_task` || task === '' ? step : `${step}/${task}`;
  return iteration === undefined ? name : `${name}[${String(iteration)}]`;
}

/** A whole line with its details. */
function Whole({
  line: { at, stream, task_run_id: task, attempt, line },
}: {
  line: PlacedLine;
}): JSX.Element {
  return (
    <div class="event-shown" role="region" aria-label="The line" tabIndex={0}>
      <p class="hint">
        {fullMoment(at)} · <code>{task}</code> · attempt {attempt} · {stream}
      </p>
      <pre class="log-whole">
        <Ansi text={line} />
      </pre>
    </div>
  );
}

function Silence({
  over,
  selected,
  past,
}: {
  over: boolean;
  selected: string | undefined;
  past: boolean;
}): JSX.Element {
  const who = selected === undefined ? 'No task' : `No task of ${stepOf(selected)!}`;
  if (past) return <p class="hint">{who} had printed anything by then.</p>;
  if (over) return <p class="hint">{who} printed anything.</p>;
  return (
    <p class="hint">
      {who} has printed anything yet. What scripts write to stdout and stderr appears here while they run.
    </p>
  );
}

/** For a history file: histories do not contain output. */
export function NoLogs(): JSX.Element {
  return (
    <p class="hint">
      A history does not contain what tasks print: it is kept in the storage of the server. Open the run in
      the console of that server, or use <code>noetl-temporal logs ID</code>. What a task returned is under
      Details.
    </p>
  );
}

/** @param selected a step, a run of it, an iteration, a task, or an attempt */
function isOf({ task_run_id: task }: PlacedLine, selected: string | undefined): boolean {
  if (selected === undefined || selected.startsWith('step:')) return true;
  if (task === selected || task.replace(/@\d+$/, '') === selected) return true;
  return task.startsWith(`${selected}.`) || task.startsWith(`${selected}[`);
}
