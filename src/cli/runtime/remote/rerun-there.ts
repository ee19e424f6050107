/**
 * `rerun … --server URL`: a new execution on a facade from the state of another one at a step, watched to its end.
 */
import { onlyId } from '../../input/here-only';
import { readPayload } from '../../input/payload';
import { rerunChanges } from '../../input/rerun-changes';
import { printable } from '../../output/paint';
import { revisionFrom } from '../revision';
import { type RerunOptions } from '../rerun-execution';
import { attend } from './attend';
import { ask } from '../port/ask';
import { facadeOf } from '../port/facade';

export interface RerunThereOptions extends Omit<RerunOptions, 'history' | 'data'> {
  readonly server: string;
  /** Of the catalog. */
  readonly playbookVersion?: number | 'latest';
}

interface Begun {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly rerun_of: { readonly execution_id: string; readonly step_run_id: string };
  readonly changed_steps: readonly string[];
}

/**
 * @returns the exit code
 * @throws UsageError if the facade refuses: no such execution or step, a different graph
 */
export async function rerunThere(name: string, options: RerunThereOptions): Promise<number> {
  const id = onlyId([name]);
  const server = facadeOf(options.server);
  const write = (text: string): void => void process.stderr.write(printable(text) + '\n');
  const { payload, variables } = rerunChanges(readPayload(undefined, options.set));
  const revision = revisionFrom(options.playbook);
  const begun = await ask<Begun>(server, `/api/executions/${id}/rerun`, {
    method: 'POST',
    body: {
      from_step: options.from,
      from_failure: options.fromFailure,
      only: options.only,
      workload: payload,
      variables,
      labels: options.label,
      version: options.playbookVersion,
      ...(revision && { playbook: revision.text }),
    },
  });
  const { execution_id, workflow_id, rerun_of, changed_steps } = begun;
  write(
    `rerun of execution ${rerun_of.execution_id} from ${rerun_of.step_run_id}: execution ${execution_id} at ${server.url}`,
  );
  if (changed_steps.length > 0)
    write(`changed since, but their recorded results are kept: ${changed_steps.join(', ')}`);
  const { path } = await ask<{ path: string }>(server, `/api/executions/${execution_id}/progress`);
  const playbook = revision?.file ?? `catalog://${path}`;
  return attend(server, { execution_id, workflow_id, playbook, isRerun: true }, options);
}
