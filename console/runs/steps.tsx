/** The steps of a run as a small bar. Only rows in sight ask, three at a time; what has ended is asked for once. */
import { type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { askApi } from '../server/api';
import { type ExecutionDocument, type StepProgress } from '../../src/server/facade/documents';

const AT_ONCE = 3;
/** Milliseconds between two looks at one that runs. */
const STALE_MS = 4_000;

interface CachedSteps {
  readonly nodes: readonly StepProgress[];
  readonly at: number;
  readonly over: boolean;
}

const cache = new Map<string, CachedSteps>();
const waiting: (() => void)[] = [];
let busy = 0;

async function turn(): Promise<void> {
  if (busy >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  busy++;
}

function done(): void {
  busy--;
  waiting.pop()?.();
}

/** @throws ServerError */
export async function stepProgress({
  execution_id: id,
  end_time,
}: ExecutionDocument): Promise<readonly StepProgress[]> {
  const before = cache.get(id);
  const over = end_time !== null;
  if (before && (before.over || Date.now() - before.at < STALE_MS)) return before.nodes;
  await turn();
  try {
    const { nodes } = await askApi<{ nodes: readonly StepProgress[] }>(`/api/executions/${id}/graph`);
    cache.set(id, { nodes, at: Date.now(), over });
    return nodes;
  } finally {
    done();
  }
}

export function StepBar({ run }: { run: ExecutionDocument }): JSX.Element {
  const [nodes, setNodes] = useState<readonly StepProgress[]>(cache.get(run.execution_id)?.nodes ?? []);
  useEffect(() => {
    let isThere = true;
    const look = (): void =>
      void stepProgress(run).then(
        (loaded) => isThere && setNodes(loaded),
        () => undefined,
      );
    look();
    const timer = run.end_time === null ? setInterval(look, STALE_MS) : undefined;
    return () => {
      isThere = false;
      clearInterval(timer);
    };
  }, [run.execution_id, run.end_time]);
  const steps = nodes.filter(({ step }) => step !== null);
  const ended = steps.filter(({ status }) => status === 'done' || status === 'failed').length;
  const label = steps.length === 0 ? '' : `${String(ended)} of ${String(steps.length)} steps`;
  return (
    <span class="step-bar" {...(label && { role: 'img', 'aria-label': label, title: label })}>
      {steps.map(({ step, status }) => (
        <i key={step} class={status} />
      ))}
    </span>
  );
}
