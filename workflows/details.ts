/** Current details of a run in the Temporal UI: a small Markdown table of what is alive. Not part of history. */
import { type LiveToken, type Progress, type Queued } from '../src/engine/machine';

const MAX_ROWS = 20;
/** The UI draws tables without any padding. */
const GAP = '\u2003';

export function detailsOf(progress: Progress): string {
  const counts = [
    counted(progress.steps_executed.length, 'step', 'steps') + ' started',
    counted(progress.tasks_run, 'task', 'tasks'),
    counted(progress.retries, 'retry', 'retries'),
  ];
  const headline = [`**${progress.status}**`, ...counts].join(' · ');
  if (progress.queued) return `${headline}\n\n${queuedText(progress.queued)}`;
  if (progress.live.length === 0) return headline;
  const rows = progress.live.slice(0, MAX_ROWS).map(row);
  const more = progress.live.length > MAX_ROWS ? [`\n… and ${progress.live.length - MAX_ROWS} more`] : [];
  return [headline, '', '| step | task | state | loop |', '|---|---|---|---|', ...rows, ...more].join('\n');
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** What an execution waits for before it begins. */
function queuedText({ of, key, limit, holders, ahead }: Queued): string {
  const what = key === '' ? '' : ` with the key ${cell(key)}`;
  if (of === 'debounce') return `Waits for a newer execution${what}, which would replace it.`;
  const behind = ahead === 0 ? '' : `, and ${ahead} before it`;
  return `Queued: at most ${limit} execution${limit === 1 ? '' : 's'}${what} at once. Held by ${holders.join(', ')}${behind}.`;
}

function row(live: LiveToken): string {
  const names = [live.task, live.sink && `sink ${live.sink}`].filter((name) => name !== undefined);
  const attempt = names.length > 0 && live.attempt && live.attempt > 1 ? ` (attempt ${live.attempt})` : '';
  const task = cell(names.join(' › ')) + attempt;
  const { loop, child, wait } = live;
  const waits = child
    ? ` ${child.path} ${child.execution_id}`
    : wait?.event
      ? ` event ${wait.event}`
      : wait
        ? ' sleep'
        : '';
  const progress = loop ? `${loop.done + loop.failed} of ${loop.total}, ${loop.in_flight} in flight` : '';
  const cells = [`${cell(live.step)}#${live.run}`, task + cell(waits), live.state, progress];
  return `| ${cells.map((text) => text + GAP).join(' | ')} |`;
}

/** Names come from the playbook: they must not be able to create a table cell, a link or HTML. */
function cell(text: string): string {
  return text.replace(/[|\\`*_[\]<>\r\n]/g, (character) =>
    character === '\n' || character === '\r' ? ' ' : `\\${character}`,
  );
}
