/** `rerun`: reads the recorded history, derives the state at the step, and starts a new execution from it. */
import fs from 'node:fs';
import { createHash } from 'node:crypto';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { prepareRerun } from '../../history';
import { type Plan } from '../../language/plan';
import { sealPayload } from '../../storage/sealed';
import { newExecutionId, startExecution } from '../../temporal/client';
import { readPayload } from '../input/payload';
import { rerunChanges } from '../input/rerun-changes';
import { asUsage, recordedPages } from './recorded-run';
import { revisionFrom } from './revision';
import { carryOutRun, type RunOptions } from './run-playbook';

export interface RerunOptions extends Omit<RunOptions, 'payload'> {
  readonly from?: string;
  /** Starts at the step that failed. */
  readonly fromFailure?: boolean;
  /** Runs that step alone. */
  readonly only?: boolean;
  /** The file of a new revision. */
  readonly playbook?: string;
}

/** @returns the exit code */
export async function rerunExecution(recorded: string, options: RerunOptions): Promise<number> {
  const write = (text: string): void => void process.stderr.write(text);
  const { payload, variables } = rerunChanges(readPayload(undefined, options.set));
  const revision = revisionFrom(options.playbook);
  return await carryOutRun(async ({ client, storage, sealed }) => {
    const executionId = newExecutionId();
    const prepared = await prepareRerun(recordedPages(recorded, client), {
      from: options.from,
      fromFailure: options.fromFailure,
      alone: options.only,
      executionId,
      payload,
      variables,
      revision: revision?.plan,
      converter: loadDataConverter(storage.dataConverter),
    }).catch(asUsage);
    const { plan, origin, input, workload, labels, changed } = prepared;
    write(`rerun of execution ${origin.execution_id} from ${origin.step_run_id}\n`);
    if (changed.length > 0)
      write(`changed since, but their recorded results are kept: ${changed.join(', ')}\n`);
    return {
      plan,
      payload: { ...workload, ...payload },
      file: plan.source.file ?? '.',
      text: revision?.text ?? textOf(plan),
      isRerun: true,
      start: async (to, resolver) => {
        const given = await sealPayload(plan, input.payload, sealed, executionId);
        const secrets = { ...input.secrets, ...given.secrets };
        const isSecret = Object.keys(secrets).length > 0;
        return startExecution(
          to,
          { ...input, ...given, ...(isSecret && { secrets }), resolver },
          executionId,
          {
            rerun: { execution_id: origin.execution_id, step_run_id: origin.step_run_id },
            labels: { ...labels, ...options.label },
          },
        );
      },
    };
  }, options);
}

/** The playbook's text, if the file is unchanged since the run. */
function textOf({ source }: Plan): string | undefined {
  if (source.file === undefined || !fs.existsSync(source.file)) return undefined;
  const text = fs.readFileSync(source.file, 'utf8');
  return createHash('sha256').update(text).digest('hex') === source.sha256 ? text : undefined;
}
