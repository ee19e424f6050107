/** Runs by how they ended: each group leads to its list. */
import { type JSX } from 'preact';
import { Empty, Loading, ProblemNote } from '../parts/empty';
import { StatusBadge } from '../parts/status';
import { type ExecutionCause } from '../../src/server/facade/documents';
import { useDocument } from '../server/use';
import { runAddress, withQuery } from '../shell/address';

const EVERY_MS = 5_000;

/** @example 'fetch HTTP_503' */
export function causeText({
  status,
  code,
  step,
}: Pick<ExecutionCause, 'code' | 'step'> & { readonly status: string }): string {
  return [step, code].filter(Boolean).join(' ') || status.toLowerCase();
}

/** @param search as of the list */
export function Causes({ search }: { search: string }): JSX.Element {
  const { value, error } = useDocument<readonly ExecutionCause[]>(
    `/api/executions/causes?${search}`,
    EVERY_MS,
  );
  if (!value) return error ? <ProblemNote error={error} /> : <Loading what="Counting the runs" />;
  if (value.length === 0) return <Empty title="No run fits these filters" />;
  return (
    <ul class="cards causes" aria-label="Runs by cause">
      {value.map((cause) => (
        <li class="card" key={JSON.stringify(cause)} data-cause={causeText(cause)}>
          <a href={listOf(cause)}>
            <strong>{cause.count}</strong> × {cause.path}
          </a>
          <StatusBadge status={cause.status} />
          {cause.code !== null && <code>{causeText(cause)}</code>}
          <a class="push" href={runAddress(cause.example.execution_id)}>
            the latest
          </a>
          {cause.example.message && <p>{cause.example.message.split('\n')[0]}</p>}
        </li>
      ))}
    </ul>
  );
}

function listOf({ path, status, code, step }: ExecutionCause): string {
  const state = status === 'PAUSED' ? 'running' : status.toLowerCase();
  return withQuery({ group: '', path, status: state, code: code ?? '', step: step ?? '' });
}
