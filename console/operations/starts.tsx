/** All starts on one axis, a row a playbook: those that were, and those that schedules have next. */
import { type JSX } from 'preact';
import { type OverviewDocument } from '../../src/server/facade/documents';
import { lookOf } from '../parts/status';
import { fullMoment } from '../parts/time';
import { playbookAddress, runAddress } from '../shell/address';

type Start = OverviewDocument['starts'][number];

const MOST_ROWS = 30;
const TICKS = 8;
const hour = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' });

interface Props {
  readonly starts: readonly Start[];
  readonly now: number;
  /** Back and ahead. */
  readonly spanMs: number;
}

export function StartsAxis({ starts, now, spanMs }: Props): JSX.Element {
  if (starts.length === 0)
    return <p class="hint">Nothing started, and no schedule starts anything in this time.</p>;
  const rows = new Map<string, Start[]>();
  for (const start of starts) rows.set(start.path, [...(rows.get(start.path) ?? []), start]);
  const sorted = [...rows].sort(([, a], [, b]) => failures(b) - failures(a) || b.length - a.length);
  const place = (at: number): string => `${((100 * (at - now + spanMs)) / (2 * spanMs)).toFixed(2)}%`;
  return (
    <div class="starts">
      <div class="starts-row starts-head" aria-hidden="true">
        <span />
        <div class="line">
          {Array.from({ length: TICKS }, (_, n) => {
            const at = now - spanMs + (n * 2 * spanMs) / TICKS;
            return (
              <i key={n} class="tick" style={{ left: place(at) }}>
                {n === TICKS / 2 ? 'now' : hour.format(at)}
              </i>
            );
          })}
        </div>
      </div>
      {sorted.slice(0, MOST_ROWS).map(([path, own]) => (
        <div key={path} class="starts-row" data-starts={path}>
          <a href={playbookAddress(path)}>{path}</a>
          <div class="line">
            <i class="now" style={{ left: place(now) }} />
            {own.map((start) => (
              <Mark
                key={`${start.at}${start.execution_id ?? ''}`}
                start={start}
                left={place(Date.parse(start.at))}
              />
            ))}
          </div>
          <span class="hint">{summaryOf(own)}</span>
        </div>
      ))}
      {sorted.length > MOST_ROWS && <p class="hint">and {sorted.length - MOST_ROWS} more playbooks</p>}
    </div>
  );
}

function failures(starts: readonly Start[]): number {
  return starts.filter(({ status }) => status === 'FAILED').length;
}

function summaryOf(starts: readonly Start[]): string {
  const next = starts.filter(({ execution_id: id }) => id === null).length;
  const failed = failures(starts);
  const ran = starts.length - next;
  return [
    ran > 0 && `${String(ran)} started`,
    failed > 0 && `${String(failed)} failed`,
    next > 0 && `${String(next)} to come`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Reached by the list of the playbook's runs with the keyboard: there may be hundreds. */
function Mark({
  start: { at, execution_id: id, status, schedule, path },
  left,
}: {
  start: Start;
  left: string;
}): JSX.Element {
  const says = `${path}, ${status?.toLowerCase() ?? 'due'}${schedule === null ? '' : `, ${schedule}`}, ${fullMoment(at)}`;
  return (
    <a
      class={`mark ${status === null ? 'due' : lookOf(status)}`}
      style={{ left }}
      href={id === null ? '/schedules' : runAddress(id)}
      title={says}
      aria-label={says}
      tabIndex={-1}
    />
  );
}
