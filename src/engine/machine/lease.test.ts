/** `exec: local`: a machine on lease decides as it would have at home, whenever it goes and however it comes back. */
import fc from 'fast-check';
import { cases } from '../../../test/support/properties';
import { messages } from '../../../test/support/random-messages';
import { answer, type Family, plans } from '../../../test/support/random-plans';
import { leftBehind, violations } from '../../../test/support/run-checks';
import { drive, essence } from '../../../test/support/strict-driver';
import { processorMs } from '../../../test/support/processor-time';
import { planOf, playbookOf, START } from '../../../test/support/simulator';
import { ENGINE_KINDS, type Plan, type StepPlan, type TaskPlan } from '../../language/plan';
import { type Input } from './batch/inputs';
import { lend } from './lease';
import { Machine } from './machine';

const orders = fc.array(fc.nat({ max: 50 }), { maxLength: 120 });
const anything: Family = { cycles: true, racy: true };

/** Some of its tasks on lease, and some in a pool: those that the numbers name; without any all of them, in none. */
function locally(plan: Plan, some: readonly number[]): Plan {
  let place = 0;
  const local = (task: TaskPlan): TaskPlan => ({
    ...task,
    ...(!ENGINE_KINDS.has(task.kind) && (some[place++] ?? 1) % 3 > 0 && { local: true }),
    ...((some[place] ?? 0) > 7 && { spec: { ...task.spec, pool: 'gpu' } }),
    ...(task.body && { body: task.body.map(local) }),
  });
  const steps = plan.steps.map((step): StepPlan => ({
    ...step,
    tasks: step.tasks.map(local),
    ...(step.sinks && { sinks: step.sinks.map(local) }),
  }));
  return { ...plan, steps };
}

const localPlans = (family?: Family): fc.Arbitrary<{ plan: Plan; local: Plan }> =>
  fc
    .tuple(plans(family), fc.array(fc.nat({ max: 9 }), { maxLength: 12 }))
    .map(([plan, some]) => ({ plan, local: locally(plan, some) }));

describe('a random plan, some of whose tasks run on lease', () => {
  it('comes out as without leases, and leaves nothing behind', () => {
    let leases = 0;
    fc.assert(
      fc.property(localPlans(), orders, ({ plan, local }, order) => {
        const driven = drive(local, { answer, order });
        leases += driven.leases;
        expect([driven.end, violations(local, driven), leftBehind(driven)]).toEqual(['complete', [], []]);
        expect(essence(driven)).toEqual(essence(drive(plan, { answer, order: [] })));
      }),
      cases(80),
    );
    expect(leases).toBeGreaterThan(100);
  });

  it('does so through fresh histories and pauses too', () => {
    const asked = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 2, maxLength: 6 });
    const pauses = fc.record({ at: fc.integer({ min: 1, max: 12 }), length: fc.integer({ min: 1, max: 9 }) });
    fc.assert(
      fc.property(localPlans(), orders, asked, pauses, ({ plan, local }, order, drainAt, { at, length }) => {
        const inject = { [at]: [{ type: 'paused' } as const], [at + length]: [{ type: 'resumed' } as const] };
        const driven = drive(local, { answer, order, drainAt, inject });
        expect(violations(local, driven)).toEqual([]);
        expect(essence(driven)).toEqual(essence(drive(plan, { answer, order: [] })));
      }),
      cases(60),
    );
  });

  it('comes to an end whatever comes from outside, workers that are lost included', () => {
    const drains = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 3 });
    const lost = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
    fc.assert(
      fc.property(
        localPlans(anything),
        orders,
        messages,
        drains,
        lost,
        ({ local }, order, inject, drainAt, loses) => {
          const driven = drive(local, { answer, order, inject, drainAt, loses });
          expect(violations(local, driven)).toEqual([]);
          expect(['complete', 'fail']).toContain(driven.end);
          expect(driven.state.pending).toEqual({});
        },
      ),
      cases(80),
    );
  });

  it('ends as cancelled whenever the cancel comes, with its reason', () => {
    fc.assert(
      fc.property(
        localPlans(anything),
        orders,
        messages,
        fc.integer({ min: 1, max: 12 }),
        ({ local }, order, others, at) => {
          const cancel: Input = { type: 'cancelRequested', reason: 'enough' };
          const inject = { ...others, [at]: [...(others[at] ?? []), cancel] };
          const driven = drive(local, { answer, order, inject });
          expect(violations(local, driven)).toEqual([]);
          const asked = driven.events.filter(({ event_type }) => event_type === 'playbook.cancel.requested');
          expect(asked.map(({ payload }) => payload['reason'])).toEqual(
            driven.end === 'cancelled' ? ['enough'] : [],
          );
        },
      ),
      cases(80),
    );
  });

  it('goes on from its JSON at every point, and without anybody who wants events', () => {
    fc.assert(
      fc.property(localPlans(anything), orders, messages, ({ local }, order, inject) => {
        const plain = drive(local, { answer, order, inject });
        const revived = drive(local, { answer, order, inject, persist: true });
        expect(revived.events).toEqual(plain.events);
        expect(revived.state).toEqual(plain.state);
        expect(drive(local, { answer, order, inject, blind: true }).state).toEqual(plain.state);
      }),
      cases(30),
    );
  });
});

it('lending a machine with thousands of iterations in flight takes time for each, not for each pair', async () => {
  const tasks = '  tool: {kind: python, code: "result = 1"}';
  const loop =
    'loop: {in: "{{ range(6000) | list }}", iterator: i, spec: {mode: parallel, max_in_flight: 1500}}';
  const machine = Machine.create(planOf(playbookOf(`- step: start\n  ${loop}\n${tasks}`)), '1', START);
  machine.apply({ at: START, inputs: [{ type: 'started', payload: {} }] });
  const { live } = machine;
  const frames = [...live.frames.values()];
  for (let copy = 1; copy <= 5; copy++)
    for (const frame of frames)
      live.frames.set(`${frame.id}.${copy}`, { ...frame, id: `${frame.id}.${copy}` });
  const [task] = Object.keys(machine.state.pending);
  const call = { task_run_id: task! } as never;
  const command = { type: 'runTask', call, summary: 's', atMostOnce: false, local: true } as const;
  expect(live.frames.size).toBeGreaterThan(5000);
  const ms = await processorMs(() => lend(live, [command]));
  expect(ms).toBeLessThan(3000);
});
