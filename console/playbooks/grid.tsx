/** The last runs of one playbook, step by step: a column a run, the newest on the right. */
import { type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Empty } from '../parts/empty';
import { lookOf, Sign } from '../parts/status';
import { duration, fullMoment, shortTime } from '../parts/time';
import { shownStatus } from '../runs/origin';
import { stepProgress } from '../runs/steps';
import { askApi } from '../server/api';
import { type ExecutionDocument, type StepProgress } from '../../src/server/facade/documents';
import { useLoaded } from '../server/use';
import { runAddress } from '../shell/address';

const SHOWN = 30;
const EVERY_MS = 4_000;
const LOOKS = { waiting: 'waiting', running: 'running', done: 'done', failed: 'failed' } as const;

export function Grid({ path }: { path: string }): JSX.Element {
  const { value: runs } = useLoaded(
    (signal) =>
      askApi<readonly ExecutionDocument[]>(
        `/api/executions?page_size=${String(SHOWN)}&path=${encodeURIComponent(path)}`,
        { signal },
      ),
    [path],
    EVERY_MS,
  );
  const [steps, setSteps] = useState<ReadonlyMap<string, readonly StepProgress[]>>(new Map());
  useEffect(() => {
    let isThere = true;
    for (const run of runs ?? [])
      void stepProgress(run).then(
        (nodes) => isThere && setSteps((before) => new Map(before).set(run.execution_id, nodes)),
        () => undefined,
      );
    return () => {
      isThere = false;
    };
  }, [runs]);
  if (runs?.length === 0)
    return (
      <Empty title="It has not run yet">
        <p>Start it with the button above.</p>
      </Empty>
    );
  const columns = [...(runs ?? [])].reverse();
  const names = [
    ...new Set(
      columns.flatMap((run) => (steps.get(run.execution_id) ?? []).flatMap(({ step }) => step ?? [])),
    ),
  ];
  const longest = Math.max(1, ...columns.map((run) => run.duration_seconds));
  const standOf = (run: ExecutionDocument, step: string): StepProgress | undefined =>
    steps.get(run.execution_id)?.find((node) => node.step === step);
  return (
    <div class="grid-box" tabIndex={0} role="region" aria-label="Last runs by step">
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">Step</th>
            {columns.map((run) => (
              <th key={run.execution_id} scope="col" data-execution={run.execution_id}>
                <a
                  href={runAddress(run.execution_id)}
                  title={`${shownStatus(run).toLowerCase()}, ${fullMoment(run.start_time)}, ${duration(run.duration_seconds * 1000)}`}
                  aria-label={`Run ${run.execution_id}: ${shownStatus(run).toLowerCase()}, ${shortTime(run.start_time)}, ${duration(run.duration_seconds * 1000)}`}
                >
                  <time dateTime={run.start_time}>{shortTime(run.start_time)}</time>
                  <i
                    class={`took ${lookOf(shownStatus(run))}`}
                    style={{ height: `${String(Math.max(2, (36 * run.duration_seconds) / longest))}px` }}
                  />
                  <Sign look={lookOf(shownStatus(run))} />
                </a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((step) => (
            <tr key={step}>
              <th scope="row">{step}</th>
              {columns.map((run) => {
                const stand = standOf(run, step);
                const look = LOOKS[stand?.status ?? 'waiting'];
                return (
                  <td key={run.execution_id}>
                    <a
                      class={`cell ${look}`}
                      href={`${runAddress(run.execution_id)}?select=${encodeURIComponent(`step:${step}`)}`}
                      title={`${step}: ${look}`}
                      aria-label={`${step} in run ${run.execution_id}: ${look}`}
                    />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
