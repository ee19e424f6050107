/** Executions of a worker thread share modules, and nothing of what an execution said or did. */
import fs from 'node:fs';
import vm from 'node:vm';
import { DefaultPayloadConverter, type FailureConverter, type PayloadConverter } from '@temporalio/common';
import { encode } from '@temporalio/common/lib/encoding';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { type Workflow, type WorkflowCreateOptions } from '@temporalio/worker/lib/workflow/interface';
import { WAS_ENCRYPTED } from '../src/storage/payloads';
import { loadWorkflowBundle } from '../src/temporal/worker/bundle';

/** What the SDK keeps of an execution. */
interface Activator {
  readonly info: { readonly runId: string };
  readonly payloadConverter: PayloadConverter;
  readonly failureConverter: FailureConverter;
}

let creator: ReusableVMWorkflowCreator;
const created: Workflow[] = [];
beforeAll(async () => {
  const { codePath: filename } = (await loadWorkflowBundle()).workflowBundle;
  const code = fs.readFileSync(filename, 'utf8');
  const sourceMap = { version: 3, sources: [], mappings: '', names: [] } as never;
  creator = await ReusableVMWorkflowCreator.create({ code, sourceMap, filename }, 5000, new Set());
});
afterAll(async () => {
  for (const one of created) await one.dispose();
  await creator.destroy();
});

async function execution(runId: string): Promise<Activator> {
  const info = { runId, workflowId: runId, workflowType: 'playbook', unsafe: {} };
  const options = { info, randomnessSeed: [1], now: 0, showStackTraceSources: false };
  const workflow = await creator.createWorkflow(options as unknown as WorkflowCreateOptions);
  created.push(workflow);
  return (workflow as unknown as { activator: Activator }).activator;
}

test('what one execution encrypts is plain in another', async () => {
  const metadata = { encoding: encode('json/plain'), [WAS_ENCRYPTED]: encode('1') };
  const messageIn = ({ failureConverter }: Activator): unknown =>
    failureConverter.errorToFailure(new Error('no good'), new DefaultPayloadConverter()).message;
  const first = await execution('first');
  first.payloadConverter.fromPayload({ metadata, data: encode('1') });
  expect(messageIn(first)).toBe('Encoded failure');
  expect(messageIn(await execution('second'))).toBe('no good');
});

test('the SDK finds the execution of a promise', async () => {
  const { info } = await execution('third');
  // As `getActivator` of @temporalio/worker/lib/workflow/vm-shared does.
  const { context } = creator as unknown as { context: vm.Context };
  const promise = vm.runInContext('Promise.resolve()', context) as Promise<void>;
  const compile = promise.constructor.constructor as (code: string) => () => unknown;
  expect(compile('return globalThis.__TEMPORAL_ACTIVATOR__')()).toHaveProperty('info.runId', info.runId);
  expect(compile('return 1 + 1')()).toBe(2);
  // Without compiling anything, which was a twentieth of the sandbox's time.
  expect(compile('return globalThis.__TEMPORAL_ACTIVATOR__')).toBe(
    compile('return globalThis.__TEMPORAL_ACTIVATOR__'),
  );
});
