/** `run --only STEP --input …`: one step of a playbook, without a former execution. */
import { prepareStep } from '../../history';
import { compact, type JsonObject } from '../../language/plan';
import { sealPayload } from '../../storage/sealed';
import { newExecutionId, startExecution } from '../../temporal/client';
import { readPayload } from '../input/payload';
import { loadPlaybook } from '../input/playbook';
import { rerunChanges } from '../input/rerun-changes';
import { carryOutRun, type RunOptions } from './run-playbook';

export interface StepOptions extends RunOptions {
  readonly only: string;
  readonly input?: string;
}

/** @returns the exit code */
export async function runStep(name: string, options: StepOptions): Promise<number> {
  const { plan, text, file } = loadPlaybook(name);
  const input: JsonObject = readPayload(options.input, [], '--input');
  const { payload, variables } = rerunChanges(readPayload(options.payload, options.set));
  const executionId = newExecutionId();
  // What is wrong with the request is said before anything is started.
  prepareStep(plan, { step: options.only, input, payload, variables, executionId, now: Date.now() });
  return await carryOutRun(async ({ sealed }) => {
    const given = await sealPayload(plan, payload, sealed, executionId);
    const prepared = prepareStep(plan, {
      step: options.only,
      input,
      variables,
      executionId,
      now: Date.now(),
      ...given,
    });
    return {
      plan,
      payload,
      file,
      text,
      isRerun: true,
      start: async (client, resolver) =>
        startExecution(
          client,
          { ...prepared, ...(given.secrets && { secrets: given.secrets }), resolver },
          executionId,
          compact({ labels: options.label }),
        ),
    };
  }, options);
}
