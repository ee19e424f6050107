/** Random plans whose loops are over claimed rows: they come to what the same loops over lists come to. */
import fc from 'fast-check';
import { cases } from '../../../test/support/properties';
import { messages } from '../../../test/support/random-messages';
import { answer, type Family, plans } from '../../../test/support/random-plans';
import { leftBehind, violations } from '../../../test/support/run-checks';
import { drive, type Driven, essence } from '../../../test/support/strict-driver';
import { ok } from '../../../test/support/simulator';
import {
  type Json,
  type LoopPlan,
  type Outcome,
  type Plan,
  type PlanValue,
  type StepPlan,
  type TaskCall,
} from '../../language/plan';
import { type Input } from './batch/inputs';

const orders = fc.array(fc.nat({ max: 50 }), { maxLength: 80 });
const frames = fc.record({ slots: fc.constantFrom(1, 1, 2, 3), most: fc.integer({ min: 1, max: 4 }) });
type Frames = { readonly slots: number; readonly most: number };

/** The plan with each list of a step's loop in a table, from which frames of `most` rows are claimed. */
function claiming(plan: Plan, given: Frames): Plan {
  return { ...plan, steps: plan.steps.map((step) => (step.loop ? overRows(step, step.loop, given) : step)) };
}

function overRows(step: StepPlan, loop: LoopPlan, { slots, most }: Frames): StepPlan {
  const rows = itemsOf(loop.in);
  const atOnce = loop.maxInFlight ?? { const: 1 };
  const claim = `${step.name}_claim`;
  return {
    ...step,
    loop: {
      ...loop,
      in: { const: [] },
      mode: 'cursor',
      maxInFlight: { const: slots },
      cursor: {
        claim,
        process: 'row',
        frame: {
          map: [
            ['max_rows', { const: most }],
            ['row_concurrency', atOnce],
          ],
        },
      },
    },
    sinks: [
      ...(step.sinks ?? []),
      {
        name: claim,
        kind: 'postgres',
        at: step.at,
        config: { const: { command: 'claim', rows, most } },
        strict: [],
        spec: { delivery: 'at_least_once', options: { const: {} } },
        set: [],
      },
    ],
  };
}

const itemsOf = (list: PlanValue): Json =>
  'const' in list ? list.const : 'list' in list ? list.list.map(itemsOf) : [];

/** Each claim has its part of the table, so that no answer depends on what else was claimed. */
function answerTo(call: TaskCall): Outcome {
  if (!call.claim) return answer(call);
  const { rows, most } = call.config as { rows: number[]; most: number };
  const first = most * Number(/\{(\d+)\}/.exec(call.task_run_id)![1]);
  return ok({ rows: rows.slice(first, first + most) });
}

/**
 * Without the values of loops, which keep the results of lists only; and without what a loop left that a rule ended early:
 * it knows only the rows that it claimed.
 */
const shared = (run: Driven, plan: Plan): unknown => {
  const { ctx, executed, results } = run.state;
  const counts = plan.steps.map(({ name }) => {
    const result = results[name];
    return result?.type === 'loop'
      ? [result.status, result.success, result.failed, result.status === 'error' && result.notStarted]
      : result?.status;
  });
  return { end: run.end, ctx, counts, executed: [...executed].sort() };
};

/** Iterations that never started, by step. */
const left = (run: Driven, plan: Plan): number[] =>
  plan.steps.map(({ name }) => {
    const result = run.state.results[name];
    return result?.type === 'loop' ? result.notStarted : 0;
  });

test('of one slot, the same runs, writes and counts, in every order', () => {
  let claims = 0;
  fc.assert(
    fc.property(plans(), orders, orders, frames, (plan, one, other, given) => {
      const claimed = claiming(plan, { ...given, slots: 1 });
      const run = drive(claimed, { answer: answerTo, order: one });
      claims += run.events.filter(({ entity_id }) => entity_id.endsWith('_claim')).length;
      expect([violations(claimed, run), leftBehind(run)]).toEqual([[], []]);
      const plain = drive(plan, { answer, order: one });
      expect(shared(run, plan)).toEqual(shared(plain, plan));
      const most = left(plain, plan);
      expect(left(run, plan).filter((count, index) => count > most[index]!)).toEqual([]);
      expect(essence(drive(claimed, { answer: answerTo, order: other }))).toEqual(essence(run));
    }),
    cases(60),
  );
  expect(claims).toBeGreaterThan(50);
});

const anything: Family = { cycles: true, racy: true };

test('comes to an end and leaves nothing under way, whatever comes from outside', () => {
  const drains = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 3 });
  fc.assert(
    fc.property(plans(anything), orders, messages, drains, frames, (plan, order, inject, drainAt, given) => {
      const claimed = claiming(plan, given);
      const run = drive(claimed, { answer: answerTo, order, inject, drainAt });
      expect(violations(claimed, run)).toEqual([]);
      expect(['complete', 'fail']).toContain(run.end);
      expect(run.state).toMatchObject({ pending: {}, longTasks: {}, children: {} });
    }),
    cases(60),
  );
});

test('ends as cancelled whenever the cancel comes', () => {
  fc.assert(
    fc.property(
      plans(anything),
      orders,
      frames,
      fc.integer({ min: 1, max: 25 }),
      (plan, order, given, at) => {
        const claimed = claiming(plan, given);
        const cancel: Input = { type: 'cancelRequested', reason: 'enough' };
        const run = drive(claimed, { answer: answerTo, order, inject: { [at]: [cancel] } });
        expect(violations(claimed, run)).toEqual([]);
        expect(run.batches > at ? ['cancelled'] : ['complete', 'fail']).toContain(run.end);
      },
    ),
    cases(60),
  );
});
