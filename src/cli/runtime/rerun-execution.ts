/** `rerun`: the recorded history, the state at the step, and a new execution that goes on from it. */
import fs from 'node:fs';
import { createHash } from 'node:crypto';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { prepareRerun, RerunError } from '../../history';
import { isMapping, type JsonObject, type Plan } from '../../plan';
import { sealPayload } from '../../sealed';
import { newExecutionId, startExecution } from '../../temporal';
import { UsageError } from '../errors';
import { readPayload } from '../input/payload';
import { loadPlaybook } from '../input/playbook';
import { wantsColor } from '../output/paint';
import { asUsage, recordedPages } from './recorded-run';
import { carryOut, type RunOptions } from './run-playbook';

export interface RerunOptions extends Omit<RunOptions, 'payload'> {
  readonly from: string;
  /** The file of a new revision. */
  readonly playbook?: string;
}

/** @returns the exit code */
export async function rerunExecution(recorded: string, options: RerunOptions): Promise<number> {
  const write = (text: string): void => void process.stderr.write(text);
  const { payload, variables } = changesOf(readPayload(undefined, options.set));
  const revision =
    options.playbook === undefined
      ? undefined
      : loadPlaybook(options.playbook, { write, color: wantsColor(process.stderr) });
  return await carryOut(async ({ client, storage, sealed }) => {
    const executionId = newExecutionId();
    const prepared = await prepareRerun(recordedPages(recorded, client), {
      from: options.from,
      executionId,
      payload,
      variables,
      revision: revision?.plan,
      converter: loadDataConverter(storage.dataConverter),
    }).catch((error: unknown) => {
      if (error instanceof RerunError) throw new UsageError(`${error.message} [${error.code}]`);
      return asUsage(error);
    });
    const { plan, origin, input, changed } = prepared;
    write(`rerun of execution ${origin.execution_id} from ${origin.step_run_id}\n`);
    if (changed.length > 0) write(`changed since, but their recorded results stand: ${changed.join(', ')}\n`);
    return {
      plan,
      payload: { ...input.state.workload, ...payload },
      file: plan.source.file ?? '.',
      text: revision?.text ?? textOf(plan),
      start: async (to) => {
        const given = await sealPayload(plan, payload, sealed, executionId);
        return startExecution(to, { ...input, ...given }, executionId);
      },
    };
  }, options);
}

/** `ctx.a=v` and `vars.a=v` are variables, everything else is workload. */
function changesOf({ ctx, vars, ...payload }: JsonObject): { payload: JsonObject; variables: JsonObject } {
  const variables: JsonObject = {};
  for (const [name, given] of Object.entries({ ctx, vars })) {
    if (given === undefined) continue;
    if (!isMapping(given)) throw new UsageError(`--set ${name}=…: name the variable, e.g. --set ctx.count=3`);
    Object.assign(variables, given);
  }
  return { payload, variables };
}

/** The playbook's text, while the file is still the one that was run. */
function textOf({ source }: Plan): string | undefined {
  if (source.file === undefined || !fs.existsSync(source.file)) return undefined;
  const text = fs.readFileSync(source.file, 'utf8');
  return createHash('sha256').update(text).digest('hex') === source.sha256 ? text : undefined;
}
