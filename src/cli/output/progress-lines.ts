/** Progress as text, from the workflow's answer to the query `progress`. Pure. */
import { type Progress, type Queued } from '../../engine/machine/control/progress';
import { duration, paint, printable } from './paint';

type Live = Progress['live'][number];

/** The displayed progress of a run, local or from a facade. */
export interface ShownProgress extends Readonly<Pick<Progress, 'live' | 'tasks_run' | 'retries' | 'queued'>> {
  readonly status: string;
  readonly steps_executed: readonly string[];
}

/** The execution whose progress is shown. */
export interface Displayed {
  readonly id: string;
  /** The facade that it was started on. */
  readonly server?: string;
  /** It begins with steps that another execution ran. */
  readonly isRerun?: boolean | undefined;
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const BAR_WIDTH = 16;
const MAX_LIVE = 8;

export interface ProgressFrame {
  readonly progress: ShownProgress;
  /** Milliseconds since the start. */
  readonly elapsed: number;
  /** Milliseconds since 1970, for the time left until a retry. */
  readonly now: number;
  /** Incremented for the spinner. */
  readonly tick: number;
}

/** The block redrawn on a terminal: one line per active step, then a summary. */
export function progressBlock(frame: ProgressFrame, color: boolean): string[] {
  const { dim, cyan } = paint(color);
  const spinner = SPINNER[frame.tick % SPINNER.length]!;
  const { live } = frame.progress;
  const width = Math.min(28, Math.max(0, ...live.map((one) => nameOf(one).length)));
  const { queued } = frame.progress;
  const lines = live.slice(0, MAX_LIVE).map((one) => {
    const mark = one.state === 'running' ? cyan(spinner) : dim('·');
    return `  ${mark} ${nameOf(one).padEnd(width)}  ${describe(one, frame.now, color)}`.trimEnd();
  });
  if (live.length > MAX_LIVE) lines.push(dim(`    … and ${live.length - MAX_LIVE} more`));
  if (queued) lines.push(`  ${dim('·')} ${queuedText(queued, frame.now)}`);
  return [...lines, dim(`  ${progressSummary(frame.progress, frame.elapsed)}`)];
}

/** What an execution waits for before it begins. @param now milliseconds since 1970 */
function queuedText({ of, key, holders, ahead, until }: Queued, now: number): string {
  const what = key === '' ? 'the playbook' : `the key ${printable(key)}`;
  if (of === 'debounce') {
    const left = until === null ? '' : `; begins in ${duration(Math.max(0, until - now))}`;
    return `waits to see whether a newer execution for ${what} replaces it${left}`;
  }
  const before = ahead === 0 ? '' : `, with ${ahead} before it`;
  return `queued for ${what}, held by ${holders.join(', ')}${before}`;
}

/** @example '3 steps · 41 tasks · 2 retries · 8.2 s' */
export function progressSummary(progress: ShownProgress, elapsed: number): string {
  const parts = [count(progress.steps_executed.length, 'step'), count(progress.tasks_run, 'task')];
  if (progress.retries > 0) parts.push(progress.retries === 1 ? '1 retry' : `${progress.retries} retries`);
  if (['paused', 'cancelling', 'failing'].includes(progress.status)) parts.unshift(progress.status);
  return [...parts, duration(elapsed)].join(' · ');
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

function nameOf(live: Live): string {
  return live.run > 1 ? `${live.step}#${live.run}` : live.step;
}

function describe(live: Live, now: number, color: boolean): string {
  const { dim, yellow, red } = paint(color);
  const parts: string[] = [];
  if (live.loop) {
    parts.push(`${bar(live.loop.done, live.loop.total)} ${live.loop.done}/${live.loop.total}`);
    if (live.loop.in_flight > 0) parts.push(dim(`${live.loop.in_flight} in flight`));
    if (live.loop.failed > 0) parts.push(red(`${live.loop.failed} failed`));
  }
  if (live.task) parts.push(live.iteration === undefined ? live.task : `${live.task}[${live.iteration}]`);
  if (live.sink) parts.push(`sink ${live.sink}`);
  if (live.state === 'retrying') parts.push(yellow(retrying(live, now)));
  else if ((live.attempt ?? 1) > 1) parts.push(`attempt ${live.attempt}`);
  if (live.state === 'waiting') parts.push(dim('waits for its siblings'));
  if (live.state === 'queued') parts.push(dim('queued'));
  if (live.child) parts.push(dim(`playbook ${live.child.path}`));
  if (live.wait) parts.push(dim(waiting(live.wait, now)));
  return parts.join('  ');
}

function waiting({ event, until }: NonNullable<Live['wait']>, now: number): string {
  const left = until === undefined ? '' : duration(Math.max(0, until - now));
  if (event === undefined) return `sleeps ${left}`;
  return `waits for event ${printable(event)}${left && `, at most ${left}`}`;
}

function retrying(live: Live, now: number): string {
  const left =
    live.retry_at === undefined || live.retry_at <= now ? '' : ` in ${duration(live.retry_at - now)}`;
  return `attempt ${live.attempt ?? 1}${left}`;
}

function bar(done: number, total: number): string {
  const full = total === 0 ? BAR_WIDTH : Math.floor((done / total) * BAR_WIDTH);
  return '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
}

/**
 * Without a terminal: one line per change since the previous call. A loop reports every tenth of its iterations. A
 * step counts as executed from its start, so one that was never seen active has started and ended in between.
 *
 * @param before undefined at first; of a rerun, steps that have ended by then may be those whose results it keeps
 */
export function changes(before: ShownProgress | undefined, after: ShownProgress, of: Displayed): string[] {
  const byName = new Map((before?.live ?? []).map((one) => [nameOf(one), one]));
  const now = new Set(after.live.map((one) => one.step));
  const endedTokens = [...byName.values()].filter(
    (one) => !after.live.some((other) => nameOf(other) === nameOf(one)),
  );
  const passed = after.steps_executed
    .slice(before?.steps_executed.length ?? (of.isRerun ? after.steps_executed.length : 0))
    .filter((step) => !now.has(step));
  const ended = [...endedTokens.map(nameOf), ...passed].map((name) => `${name}: ended`);
  if (after.queued && after.queued.since !== before?.queued?.since && after.queued.holders.length > 0)
    ended.push(queuedText(after.queued, after.queued.since));
  const news = after.live.flatMap((one) => {
    const last = byName.get(nameOf(one));
    const begun = last
      ? []
      : [`${nameOf(one)}: ${one.state === 'waiting' ? 'waits for its siblings' : 'started'}`];
    return [...begun, ...moved(last, one, of)];
  });
  const status = before && before.status !== after.status && after.status !== 'running' ? [after.status] : [];
  return [...ended, ...news, ...status];
}

function moved(before: Live | undefined, after: Live, of: Displayed): string[] {
  const lines: string[] = [];
  if (after.loop && tenth(before?.loop) !== tenth(after.loop)) {
    const failed = after.loop.failed > 0 ? `, ${after.loop.failed} failed` : '';
    lines.push(`${nameOf(after)}: ${after.loop.done}/${after.loop.total}${failed}`);
  }
  if (after.state === 'retrying' && (before?.state !== 'retrying' || before.attempt !== after.attempt)) {
    lines.push(
      `${nameOf(after)}: ${after.sink ?? after.task ?? 'task'} waits for attempt ${after.attempt ?? 1}`,
    );
  }
  return [...lines, ...waitLines(before, after, of)];
}

function waitLines(before: Live | undefined, { wait, ...after }: Live, { id, server }: Displayed): string[] {
  if (wait?.event === undefined || before?.wait?.event === wait.event) return [];
  const event = printable(wait.event);
  const there = server === undefined ? '' : ` --server ${server}`;
  const answer = wait.form ? `answer ${id}` : `event ${id} ${event}`;
  return [`${nameOf(after)}: waits for event ${event} (answer it: noetl-temporal ${answer}${there})`];
}

function tenth(loop: Live['loop']): number {
  return loop && loop.total > 0 ? Math.floor((loop.done / loop.total) * 10) : 0;
}
