/** Properties of whole runs over random plans, whatever the order of completions and what comes from outside. */
import fc from 'fast-check';
import { cases } from '../../../test/support/properties';
import { messages } from '../../../test/support/random-messages';
import { answer, type Family, plans } from '../../../test/support/random-plans';
import { leftBehind, violations } from '../../../test/support/run-checks';
import { drive, essence } from '../../../test/support/strict-driver';
import { type StepPlan } from '../../language/plan';
import { type Input } from './batch/inputs';

const orders = fc.array(fc.nat({ max: 50 }), { maxLength: 80 });
/** Each of its arcs then has a run of its own. */
function namesOneTwice({ router }: StepPlan): boolean {
  const targets = router?.arcs.map(({ step }) => step) ?? [];
  return new Set(targets).size < targets.length;
}

const anything: Family = { cycles: true, racy: true };

describe('a random plan without races', () => {
  it('completes whatever the order of completions, with the same results, no token lost, nothing left behind', () => {
    fc.assert(
      fc.property(plans(), orders, orders, (plan, one, other) => {
        const first = drive(plan, { answer, order: one });
        expect([first.end, violations(plan, first), leftBehind(first)]).toEqual(['complete', [], []]);
        expect(essence(drive(plan, { answer, order: other }))).toEqual(essence(first));
      }),
      cases(50),
    );
  });

  it('runs a step twice only if one firing names it twice, and every step that an unguarded arc of a run step leads to', () => {
    fc.assert(
      fc.property(plans(), orders, (plan, order) => {
        const { executed } = drive(plan, { answer, order }).state;
        if (!plan.steps.some(namesOneTwice)) expect(new Set(executed).size).toBe(executed.length);
        const ran = plan.steps.filter((step) => executed.includes(step.name) && step.rules === undefined);
        for (const step of ran) {
          const fires = (step.router?.arcs ?? []).filter(({ when }) => when?.source === 'true');
          const [chosen] = fires;
          const expected = step.router?.mode === 'inclusive' ? fires : chosen ? [chosen] : [];
          for (const { step: target } of expected) {
            const admitted = target !== null && !plan.steps.find(({ name }) => name === target)!.admit;
            if (admitted) expect(executed).toContain(target);
          }
        }
      }),
      cases(40),
    );
  });

  it('comes out the same through fresh histories and pauses, whenever they come', () => {
    const asked = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 2, maxLength: 6 });
    const pauses = fc.record({ at: fc.integer({ min: 1, max: 12 }), length: fc.integer({ min: 1, max: 9 }) });
    let continuations = 0;
    fc.assert(
      fc.property(plans(), orders, asked, pauses, (plan, order, drainAt, { at, length }) => {
        const inject = { [at]: [{ type: 'paused' } as const], [at + length]: [{ type: 'resumed' } as const] };
        const drained = drive(plan, { answer, order, drainAt, inject });
        continuations += drained.continuations;
        expect(violations(plan, drained)).toEqual([]);
        expect(essence(drained)).toEqual(essence(drive(plan, { answer, order })));
      }),
      cases(50),
    );
    expect(continuations).toBeGreaterThan(0);
  });
});

describe('any random plan', () => {
  it('comes to an end, asks for nothing twice and leaves nothing under way, whatever comes from outside', () => {
    const drains = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 3 });
    fc.assert(
      fc.property(plans(anything), orders, messages, drains, (plan, order, inject, drainAt) => {
        const driven = drive(plan, { answer, order, inject, drainAt });
        expect(violations(plan, driven)).toEqual([]);
        expect(['complete', 'fail']).toContain(driven.end);
        expect(driven.state).toMatchObject({ pending: {}, longTasks: {}, children: {} });
      }),
      cases(50),
    );
  });

  it('ends as cancelled whenever the cancel comes, and nothing goes on after it', () => {
    fc.assert(
      fc.property(
        plans(anything),
        orders,
        messages,
        fc.integer({ min: 1, max: 25 }),
        (plan, order, others, at) => {
          const cancel: Input = { type: 'cancelRequested', reason: 'enough' };
          const inject = { ...others, [at]: [...(others[at] ?? []), cancel, cancel] };
          const driven = drive(plan, { answer, order, inject });
          expect(violations(plan, driven)).toEqual([]);
          const wasCancelled = driven.batches > at;
          expect(wasCancelled ? ['cancelled'] : ['complete', 'fail']).toContain(driven.end);
          const asked = driven.events.findIndex(
            ({ event_type }) => event_type === 'playbook.cancel.requested',
          );
          const started = driven.events.slice(asked < 0 ? driven.events.length : asked);
          expect(started.filter(({ event_type }) => event_type === 'task.started')).toEqual([]);
        },
      ),
      cases(50),
    );
  });

  it('goes on from its JSON at every point, and without anybody who wants events', () => {
    fc.assert(
      fc.property(plans(anything), orders, messages, (plan, order, inject) => {
        const plain = drive(plan, { answer, order, inject });
        const revived = drive(plan, { answer, order, inject, persist: true });
        expect(revived.events).toEqual(plain.events);
        expect(revived.state).toEqual(plain.state);
        expect(drive(plan, { answer, order, inject, blind: true }).state).toEqual(plain.state);
      }),
      cases(25),
    );
  });
});
