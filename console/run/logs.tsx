/** Output of tasks, with what one narrows it by: live, or up to the displayed time. */
import { type JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Ansi } from '../parts/ansi';
import { CopyButton } from '../parts/copy';
import { saveFile } from '../parts/download';
import { Loading } from '../parts/empty';
import { useKept } from '../parts/kept';
import { fullMoment } from '../parts/time';
import { streamParts } from '../reading/parts-of';
import { opened } from '../server/api';
import { useLoaded } from '../server/use';
import { go, logsAddress, useParam, withQuery } from '../shell/address';
import { useActions } from '../shell/keys';
import { say } from '../shell/toast';
import { type LogLine } from '../../src/telemetry/logs/line';
import { stepOf } from './facts';
import { lineCount, type LogIndex, LogLines, nextFailure } from './log-index';
import { LogBox, type LogOfRun } from './log-view';
import { type ShownMoment } from './view';

const RESTING_MS = 250;

export type LogNarrowing = Readonly<Partial<Record<'step' | 'task' | 'iteration' | 'until', string>>>;

/** As text, the same for the same filter. */
function queryOf(filter: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(filter).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return new URLSearchParams(given).toString();
}

interface LogsProps {
  readonly runs: readonly LogOfRun[];
  /** What the page narrows them to. */
  readonly within: LogNarrowing;
  /** Said where there is no line at all. */
  readonly silence: string;
  /** Steps to choose from, and iterations; otherwise the page has chosen. */
  readonly steps?: readonly string[];
  readonly onEnd?: () => void;
  /** Where they have a page of their own. */
  readonly page?: string;
}

export function Logs({ runs, within, silence, steps, onEnd, page }: LogsProps): JSX.Element {
  const [text = '', setText] = useParam('text');
  const [stream] = useParam('stream');
  const [line, setLine] = useParam('line');
  const [wraps, setWraps] = useKept('logs.wrap', '');
  const [follows, setFollows] = useState(line === undefined && runs.length === 1);
  const [indexes, setIndexes] = useState<ReadonlyMap<string, LogIndex>>(new Map());
  const onIndex = useCallback(
    (run: string, index: LogIndex) => setIndexes((before) => new Map(before).set(run, index)),
    [],
  );
  const query = queryOf({ ...within, stream, text });
  const select = (to: string | undefined): void => {
    if (to !== undefined) setFollows(false);
    setLine(to);
  };
  const toFailure = (): void =>
    void showFailure(runs, within, line).catch((error: Error) => say(error.message));
  const follow = (): void => setFollows(!follows);
  const wrap = (): void => setWraps(wraps ? '' : 'on');
  useActions([
    { name: 'Next failure in the logs', key: 'e', run: toFailure },
    { name: 'Wrap lines of the logs', key: 'w', run: wrap },
    { name: 'Follow the logs', key: 'f', run: follow },
  ]);
  const shown = runs.flatMap(({ id }) => indexes.get(id) ?? []);
  const count = shown.reduce((sum, { parts }) => sum + lineCount(parts), 0);
  const isBusy = shown.length < runs.length || shown.some(({ busy, error }) => busy && !error);
  return (
    <div class="logs">
      <div class="log-tools">
        <SearchField value={text} onChange={setText} />
        {steps && <Narrow steps={steps} />}
        <Choice name="stream" label="All streams" of={['stdout', 'stderr', 'error', 'notice']} />
        <button type="button" class="chip" aria-pressed={wraps !== ''} onClick={wrap}>
          Wrap
        </button>
        <button type="button" class="chip" aria-pressed={follows} onClick={follow}>
          Follow
        </button>
        <button type="button" class="chip" onClick={toFailure}>
          {line === undefined ? 'First failure' : 'Next failure'}
        </button>
        <button type="button" class="chip" onClick={() => void download(runs, query)}>
          Download
        </button>
        {page && (
          <a class="button chip" href={page}>
            Full page
          </a>
        )}
        <LineCount {...{ shown, count, isBusy }} isFiltered={query !== ''} />
      </div>
      {!isBusy && count === 0 && !shown.some(({ error }) => error) && (
        <p class="hint">{text || stream ? 'No line fits.' : silence}</p>
      )}
      <LogBox
        {...{ runs, query, text, follows, onIndex, onEnd }}
        wraps={wraps !== ''}
        selected={line}
        onSelect={select}
        onFollow={setFollows}
      />
      {line !== undefined && <Whole line={line} canShowAround={Boolean(text || stream)} />}
    </div>
  );
}

/** What is typed is looked for when one rests. */
function SearchField({ value, onChange }: { value: string; onChange: (text: string) => void }): JSX.Element {
  const [typed, setTyped] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    const timer = setTimeout(() => typed !== value && onChange(typed), RESTING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  useActions([{ name: 'Search the logs', key: '/', run: () => input.current?.focus() }]);
  return (
    <input
      ref={input}
      type="search"
      placeholder="Search"
      aria-label="Search the log lines"
      value={typed}
      onInput={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

function Choice({ name, label, of }: { name: string; label: string; of: readonly string[] }): JSX.Element {
  const [value = '', setValue] = useParam(name);
  const options = value === '' || of.includes(value) ? of : [...of, value];
  return (
    <select aria-label={label} value={value} onChange={(event) => setValue(event.currentTarget.value)}>
      <option value="">{label}</option>
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  );
}

function Narrow({ steps }: { steps: readonly string[] }): JSX.Element {
  const [iteration = '', setIteration] = useParam('iteration');
  return (
    <>
      <Choice name="step" label="All steps" of={steps} />
      <input
        type="number"
        min={0}
        class="log-iteration"
        placeholder="Iteration"
        aria-label="Iteration"
        value={iteration}
        onInput={(event) => setIteration(event.currentTarget.value)}
      />
    </>
  );
}

interface LineCountProps {
  readonly shown: readonly LogIndex[];
  readonly count: number;
  readonly isBusy: boolean;
  readonly isFiltered: boolean;
}

function LineCount({ shown, count, isBusy, isFiltered }: LineCountProps): JSX.Element {
  const searched = shown.reduce((sum, index) => sum + index.searched, 0);
  const lines = `${count.toLocaleString('en')} ${count === 1 ? 'line' : 'lines'}`;
  return (
    <span class="hint log-found" role="status" data-lines={count} data-over={!isBusy || undefined}>
      {isFiltered && isBusy ? `${lines} in ${searched.toLocaleString('en')} …` : isBusy ? 'Reading …' : lines}
    </span>
  );
}

/** Selects the next failure behind the selected line, among all streams. */
async function showFailure(
  runs: readonly LogOfRun[],
  { until: _, ...within }: LogNarrowing,
  line = '',
): Promise<void> {
  const [run, place] = line.split('/');
  const begin = Math.max(
    0,
    runs.findIndex(({ id }) => id === run),
  );
  for (const { id } of runs.slice(begin)) {
    const next = await nextFailure(id, queryOf(within), id === run ? place : undefined);
    if (next !== undefined)
      return go(withQuery({ line: `${id}/${next}`, stream: undefined, text: undefined }), true);
  }
  say(line === '' ? 'No task has failed.' : 'No task failed after this line.');
}

async function download(runs: readonly LogOfRun[], query: string): Promise<void> {
  const texts: string[] = [];
  try {
    for (const { id } of runs) {
      const headers = { accept: 'application/x-ndjson' };
      const { body } = await opened(`/api/executions/${id}/logs?${query}`, { headers });
      for await (const lines of streamParts(body!, '\n'))
        texts.push(lines.map((text) => textOf(JSON.parse(text) as LogLine)).join(''));
    }
    saveFile(`${runs[0]?.id ?? 'logs'}.log`, texts);
  } catch (error) {
    say((error as Error).message);
  }
}

const textOf = ({ at, task_run_id, stream, line }: LogLine): string =>
  `${at} ${task_run_id} ${stream} ${line}\n`;

/** A whole line with its details. */
function Whole({ line, canShowAround }: { line: string; canShowAround: boolean }): JSX.Element | null {
  const { value } = useLoaded(async () => {
    const [run = '', from = ''] = line.split('/');
    return { line, of: (await new LogLines(run, '').of({ from, lines: 1 }))[0] };
  }, [line]);
  if (value?.line !== line) return <Loading />;
  if (!value.of) return null;
  const { at, stream, task_run_id: task, attempt, line: text } = value.of;
  return (
    <div class="event-shown" role="region" aria-label="The line" tabIndex={0}>
      <p class="hint">
        {fullMoment(at)} · <code>{task}</code> · attempt {attempt} · {stream}
        <CopyButton text={() => text} label="Copy the line" />
        {canShowAround && (
          <button
            type="button"
            class="quiet"
            onClick={() => go(withQuery({ text: undefined, stream: undefined }), true)}
          >
            Show what is around it
          </button>
        )}
      </p>
      <pre class="log-whole">
        <Ansi text={text} />
      </pre>
    </div>
  );
}

/** Beside a run: of what is selected, up to the displayed time. */
export function LogsTab({
  id,
  over,
  selected,
  until,
}: ShownMoment & { id: string; over: boolean }): JSX.Element {
  const who = selected === undefined ? 'No task' : `No task of ${stepOf(selected)!}`;
  const silence =
    until !== undefined
      ? `${who} had printed anything by then.`
      : over
        ? `${who} printed anything.`
        : `${who} has printed anything yet. What scripts write to stdout and stderr appears here while they run.`;
  const part: LogNarrowing =
    selected === undefined
      ? {}
      : selected.startsWith('step:')
        ? { step: selected.slice(5) }
        : { task: selected };
  const within = { ...part, ...(until === undefined ? {} : { until: new Date(until).toISOString() }) };
  return <Logs runs={[{ id, over }]} {...{ within, silence }} page={logsAddress({ run: id, ...part })} />;
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
