/** What `--where` and `bulk` print. Pure. */
import { type BulkStanding, type BulkSummary, type CauseGroup } from '../../server/bulk';
import { printable } from './paint';
import { textTable } from './table';

const SHOWN = 20;

interface Chosen {
  readonly executions: readonly string[];
  readonly causes: readonly CauseGroup[];
}

/** What an operation is for, largest cause first. */
export function causesText(verb: string, { executions, causes }: Chosen): string {
  const count = executions.length;
  if (count === 0) {
    const usual = verb === 'rerun' ? 'failed' : verb === 'replay' ? undefined : 'running';
    const hint = usual === undefined ? '' : ` (without status=…, only ${usual} ones are meant)`;
    return `nothing to ${verb}: no execution matches${hint}`;
  }
  const rows = causes.slice(0, SHOWN).map(({ count: of, status, path, step, code, example }) => {
    const what = code === null ? status.toLowerCase() : [step, code].filter(Boolean).join(' ');
    return [String(of), path, what, example.execution_id, shortened(example.message ?? '')];
  });
  const more = causes.length > SHOWN ? [`and ${causes.length - SHOWN} other causes`] : [];
  const head = `${verb} ${count} execution${count === 1 ? '' : 's'}:`;
  return [head, textTable([['count', 'playbook', 'cause', 'example', ''], ...rows]), ...more].join('\n');
}

/** Counts, and the first executions that could not be handled. */
export function bulkText({ bulk_id, verb, status, counts, outcomes }: BulkStanding): string {
  const { done, skipped, failed, left } = counts;
  const parts = [
    `${done} done`,
    ...(skipped > 0 ? [`${skipped} skipped (already ended)`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(left > 0 ? [`${left} left`] : []),
  ];
  const bad = outcomes.filter(({ outcome }) => outcome === 'failed');
  const lines = bad
    .slice(0, SHOWN)
    .map(({ execution_id, code = '', message = '' }) => `  ${execution_id}  ${code}  ${printable(message)}`);
  const more = bad.length > SHOWN ? [`  and ${bad.length - SHOWN} more: --json prints all`] : [];
  return [`${verb} ${bulk_id} ${status}: ${parts.join(', ')}`, ...lines, ...more].join('\n');
}

export function bulksText(all: readonly BulkSummary[]): string {
  if (all.length === 0) return 'no bulk operations';
  const rows = all.map(({ bulk_id, verb, status, total, started_at, where }) => [
    bulk_id,
    verb,
    status,
    String(total),
    started_at,
    where ?? '',
  ]);
  return textTable([['bulk_id', 'verb', 'status', 'executions', 'started_at', 'where'], ...rows]);
}

function shortened(text: string): string {
  const line = text.split('\n')[0] ?? '';
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}
