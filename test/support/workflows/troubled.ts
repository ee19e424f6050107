/** Test workflows whose workflow task fails in every way that one can. */
import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  ParentClosePolicy,
  setHandler,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';

export async function endless(): Promise<void> {
  await Promise.resolve();
  for (;;);
}

export async function recursive(): Promise<number> {
  const down = (n: number): number => down(n + 1) + 1;
  return await Promise.resolve(down(0));
}

/** As text larger than a string can be, like one whose parts are shared. */
export async function tooLong(): Promise<string> {
  const half = 'x'.repeat(2 ** 28);
  return await Promise.resolve([half, half, half].join(''));
}

export async function greedy(): Promise<void> {
  const all: unknown[] = [];
  for (;;) all.push(await Promise.resolve(Array.from({ length: 100_000 }, (_, i) => ({ i }))));
}

/** As if storage, a key, or another release were needed. */
export function failing(): Promise<void> {
  throw new Error('the key k2 is not known here');
}

export async function timing(): Promise<void> {
  await sleep(1000);
}

export function fine(): Promise<string> {
  return Promise.resolve('done');
}

/** Ends when it is asked to. */
export async function patient(): Promise<void> {
  setHandler(defineSignal('cancel'), () => undefined);
  await CancellationScope.current()
    .run(() => condition(() => false))
    .catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
}

/** Starts children as playbooks do, and then says nothing any more. */
export async function parent(...children: readonly [string, string][]): Promise<void> {
  setHandler(defineSignal('cancel'), () => undefined);
  for (const [type, workflowId] of children)
    await startChild(type, { workflowId, parentClosePolicy: ParentClosePolicy.ABANDON });
  await condition(() => workflowInfo().historyLength > 0);
  for (;;);
}
