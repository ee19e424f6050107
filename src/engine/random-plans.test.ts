/** Properties of whole runs over random plans: nested loops, cycles, retries, limits and disturbances included. */
import fc from 'fast-check';
import { checkEvents } from '../../test/support/event-checks';
import { answer, type Family, plans } from '../../test/support/random-plans';
import { drive, type Driven } from '../../test/support/strict-driver';
import { type Input } from './inputs';

const orders = fc.array(fc.nat({ max: 50 }), { maxLength: 80 });
const anything: Family = { cycles: true, racy: true };

/** Everything that must not depend on the order of completions. */
function essence({ end, result, state }: Driven): unknown {
  const { results, executed, ctx, leaves } = state;
  return { end, result, results, executed: [...executed].sort(), ctx, leaves };
}

function leftBehind({ state }: Driven): unknown {
  const { tokens, forks, runs, frames, pending, timers, work, ready } = state;
  return { ...tokens, ...forks, ...runs, ...frames, ...pending, ...timers, work, ready };
}

const NOTHING = { work: [], ready: [] };

describe('a random plan without races', () => {
  it('completes whatever the order of completions, with the same results, nothing left behind', () => {
    fc.assert(
      fc.property(plans(), orders, orders, (plan, one, other) => {
        const first = drive(plan, { answer, order: one });
        expect([first.end, first.broken, checkEvents(first.events, true)]).toEqual(['complete', [], []]);
        expect(leftBehind(first)).toEqual(NOTHING);
        expect(essence(drive(plan, { answer, order: other }))).toEqual(essence(first));
      }),
      { numRuns: 120 },
    );
  });

  it('runs no step twice, and every step that an unguarded arc of a run step leads to', () => {
    fc.assert(
      fc.property(plans(), orders, (plan, order) => {
        const { executed } = drive(plan, { answer, order }).state;
        expect(new Set(executed).size).toBe(executed.length);
        for (const step of plan.steps.filter(({ name }) => executed.includes(name))) {
          const fires = (step.router?.arcs ?? []).filter(({ when }) => when?.source === 'true');
          const [chosen] = fires;
          const expected = step.router?.mode === 'inclusive' ? fires : chosen ? [chosen] : [];
          for (const { step: target } of expected) {
            const admitted = target !== null && !plan.steps.find(({ name }) => name === target)!.admit;
            if (admitted) expect(executed).toContain(target);
          }
        }
      }),
      { numRuns: 80 },
    );
  });

  it('comes out the same through fresh histories, whenever Temporal asks for them', () => {
    const asked = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 6 });
    let continuations = 0;
    fc.assert(
      fc.property(plans(), orders, asked, (plan, order, drainAt) => {
        const drained = drive(plan, { answer, order, drainAt });
        continuations += drained.continuations;
        expect(drained.broken).toEqual([]);
        expect(essence(drained)).toEqual(essence(drive(plan, { answer, order })));
      }),
      { numRuns: 80 },
    );
    expect(continuations).toBeGreaterThan(10);
  });
});

describe('any random plan', () => {
  const ends = ['complete', 'fail', 'cancelled'];

  it('comes to an end, asks for nothing twice and leaves no task running', () => {
    fc.assert(
      fc.property(plans(anything), orders, (plan, order) => {
        const driven = drive(plan, { answer, order });
        expect(driven.broken).toEqual([]);
        expect(['complete', 'fail']).toContain(driven.end);
        expect(checkEvents(driven.events)).toEqual([]);
        expect(driven.state.pendingCount).toBe(0);
      }),
      { numRuns: 120 },
    );
  });

  it('ends as cancelled, and a paused one goes on, whenever the message comes', () => {
    const messages = fc.record({
      at: fc.integer({ min: 1, max: 25 }),
      later: fc.integer({ min: 1, max: 10 }),
      what: fc.constantFrom('cancel', 'pause', 'pause, then cancel'),
    });
    fc.assert(
      fc.property(plans(anything), orders, messages, (plan, order, { at, later, what }) => {
        const second: Input = what === 'pause' ? { type: 'resumed' } : { type: 'cancelRequested' };
        const inject: Record<number, Input> =
          what === 'cancel' ? { [at]: second } : { [at]: { type: 'paused' }, [at + later]: second };
        const driven = drive(plan, { answer, order, inject });
        expect(driven.broken).toEqual([]);
        expect(ends).toContain(driven.end);
        expect(checkEvents(driven.events)).toEqual([]);
      }),
      { numRuns: 120 },
    );
  });

  it('goes on from its JSON at every point, and without anybody who wants events', () => {
    fc.assert(
      fc.property(plans(anything), orders, (plan, order) => {
        const plain = drive(plan, { answer, order });
        const revived = drive(plan, { answer, order, persist: true });
        expect(revived.events).toEqual(plain.events);
        expect(revived.state).toEqual(plain.state);
        expect(drive(plan, { answer, order, blind: true }).state).toEqual(plain.state);
      }),
      { numRuns: 80 },
    );
  });
});
