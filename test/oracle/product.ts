/** The product, as a black box: the same playbook, the same answers, virtual time. */
import { compile } from '../../src/dsl';
import { type Outcome as TaskOutcome } from '../../src/plan';
import { simulatePlan } from '../../src/proof/drive';
import { type Dict, dict } from './document';
import { type Call, type Ending, type Failure, type Mock } from './run';
import { plainEnd } from './compare';

const CANCELLED: TaskOutcome = {
  status: 'error',
  result: null,
  error: { kind: 'cancelled', code: 'CANCELLED', message: 'cancelled', retryable: false },
  meta: {},
};
/** When a simulated run begins. */
const START = 1_700_000_000_000;

/** What the product does, or the codes of the diagnostics with which it refuses the playbook. */
export function perform(
  text: string,
  mock: Mock,
  payload: Dict = {},
): Ending | { readonly refused: string[] } {
  const { plan, diagnostics } = compile(text, { file: 'random.yaml' });
  if (!plan)
    return { refused: diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code) };
  const calls: Call[] = [];
  const steps: { step: string; at: number }[] = [];
  const notes: { code: string; at: number }[] = [];
  const world = {
    answer(call: Parameters<typeof taskOf>[0], at: number) {
      const entry: Call = { ...taskOf(call), from: at - START, to: -1, isCancelled: false };
      calls.push(entry);
      const { outcome, after } = mock(entry);
      entry.to = entry.from + after;
      return { outcome: { meta: {}, ...outcome } as unknown as TaskOutcome, after };
    },
    cancelled(call: Parameters<typeof taskOf>[0], at: number) {
      const entry = calls.findLast(({ id }) => id === call.task_run_id);
      if (entry) Object.assign(entry, { to: at - START, isCancelled: true });
      return { outcome: CANCELLED, after: 0 };
    },
  };
  const observer = {
    applied(
      batch: { readonly at: number },
      {
        events,
      }: {
        readonly events: readonly {
          readonly event_type: string;
          readonly step_run_id?: string;
          readonly payload?: unknown;
        }[];
      },
    ) {
      for (const { event_type: type, step_run_id: run, payload: said } of events) {
        if (type === 'step.started')
          steps.push({ step: String(run).replace(/#\d+$/, ''), at: batch.at - START });
        if (type === 'step.note') notes.push({ code: String(dict(said)['code']), at: batch.at - START });
      }
    },
  };
  const run = simulatePlan(plan, world, {
    payload: payload as never,
    observer: observer as never,
    maxBatches: 2_000,
  });
  const failure = run.error as (Failure & { cause?: unknown }) | undefined;
  return plainEnd({
    status: run.end === 'complete' ? 'completed' : run.end === 'fail' ? 'failed' : 'waiting',
    result: run.result,
    error: failure,
    steps,
    calls,
    ctx: run.state.ctx,
    notes,
    elapsed: run.elapsed,
  });
}

function taskOf(call: {
  task_run_id: string;
  step: string;
  task: string;
  kind: string;
  input: object;
  config: object;
}): Pick<Call, 'id' | 'step' | 'task' | 'kind' | 'input' | 'config'> {
  const { task_run_id: id, step, task, kind, input, config } = call;
  return { id, step, task, kind, input: { ...input }, config: { ...config } };
}
