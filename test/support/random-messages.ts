/** Random messages to a run, for properties of the engine. */
import fc from 'fast-check';
import { type Input } from '../../src/engine/machine';
import { answer } from './random-plans';

/** Whatever may come from outside but a cancel: pauses, variables, events, and news of what nobody waits for. */
export const messages: fc.Arbitrary<Readonly<Record<number, readonly Input[]>>> = fc
  .array(
    fc.tuple(
      fc.integer({ min: 1, max: 12 }),
      fc.constantFrom<Input[]>(
        { type: 'paused', reason: 'lunch' },
        { type: 'paused' },
        { type: 'resumed' },
        { type: 'variablesSet', variables: { shared: 'outside', done_s1: false } },
        { type: 'variablesDeleted', names: ['shared', 'done_s0', 'never'] },
        { type: 'externalEvent', name: 'anything', payload: { to: 'anything' } },
        { type: 'externalEvent', name: 'anything', payload: null, id: 'e1' },
        { type: 'externalEvent', name: 's0t0', payload: { to: 's0t0' }, id: 'e2' },
        { type: 'timerFired', key: 'retry:nobody#1.x~1@2' },
        { type: 'taskSettled', taskRunId: 'nobody#1.x~1@1', outcome: answer({ step: 'nobody' } as never) },
        { type: 'childSettled', child: '1', outcome: answer({ step: 'nobody' } as never) },
        { type: 'childStarted', child: '1', digest: 'd' },
      ),
    ),
    { maxLength: 6 },
  )
  .map((drawn) => {
    const byBatch: Record<number, Input[]> = {};
    for (const [at, input] of drawn) (byBatch[at] ??= []).push(input);
    return byBatch;
  });
