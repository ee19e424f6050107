/**
 * Abstract playbooks: what a step does, in words that belong to no vocabulary. `case-text.ts` writes them with `case`,
 * `retry` and `sink`, `current-text.ts` with pipelines, `policy.rules` and `next.arcs`.
 */
import fc from 'fast-check';
import { chance } from '../random-tasks';

/** A step by its number; the number of steps: `end`. */
type Target = number;

/** What a rule does: writes, then the result, then a store, then the move. */
export interface Act {
  readonly set?: boolean;
  /** Another payload in the place of the call's; after an error a recovery. */
  readonly result?: boolean;
  readonly sink?: boolean;
  readonly next?: Target;
  readonly fail?: boolean;
  readonly skip?: boolean;
}

export interface AbstractStep {
  readonly loop?: { readonly items: number; readonly parallel: boolean; readonly bestEffort: boolean };
  readonly enter?: Act & { readonly holds: boolean };
  /**
   * `map`, `policy` and `rule`: again after errors; `stop`, `strict` and `poll`: again until the answer is ready. Used
   * up, `rule` and `poll` ask the later rules, `strict` fails, the others leave the outcome as it is.
   */
  readonly again?: { readonly by: Again; readonly attempts: number };
  readonly pages?: {
    readonly by: 'retry' | 'call' | 'bounded';
    readonly limit: number;
    readonly sink: boolean;
  };
  readonly collect?: { readonly into: 'ctx' | 'iter'; readonly isResult: boolean };
  /** After the call: where `pick` holds; wherever it is over; after an error, perhaps only 404; otherwise. */
  readonly picked?: Act;
  readonly done?: Act;
  readonly error?: Act & { readonly only404: boolean };
  readonly otherwise?: Act & { readonly at: 'call' | 'end' };
  /** At the end: of each iteration where it stores; of the step; of one that failed. */
  readonly exit?: Act;
  readonly over?: Act;
  readonly failed?: Act;
  readonly inclusive: boolean;
  readonly sink: boolean;
  readonly vars: boolean;
  readonly structural: Target;
  /** Which items are picked, what their calls answer, and which of their stores fail. */
  readonly items: readonly Item[];
}

type Again = 'map' | 'policy' | 'rule' | 'stop' | 'strict' | 'poll';

export interface Item {
  readonly picked: boolean;
  readonly pages: number;
  readonly failures: { readonly page: number; readonly times: number; readonly status: 404 | 503 };
  readonly unready: number;
  /** The store that fails, if there is one of that name. */
  readonly broken?: string;
}

export interface AbstractPlaybook {
  readonly bestEffort: boolean;
  readonly steps: readonly AbstractStep[];
}

const maybe = <T>(percent: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  chance(percent).chain((drawn) => (drawn ? arbitrary : fc.constant(undefined)));

type Move = 'next' | 'fail' | 'skip';

function act(target: fc.Arbitrary<Target>, actions: readonly ('result' | 'sink')[], moves: readonly Move[]) {
  const move = fc.oneof(
    { weight: 3, arbitrary: fc.constant<Pick<Act, Move>>({}) },
    { weight: 12, arbitrary: target.map((next) => ({ next })) },
    ...moves
      .filter((one) => one !== 'next')
      .map((one) => ({ weight: 2, arbitrary: fc.constant({ [one]: true }) })),
  );
  return fc
    .record({ set: chance(50), result: chance(60), sink: chance(45), move })
    .map(({ set, result, sink, move: moved }): Act => ({
      set,
      ...(actions.includes('result') ? { result } : {}),
      ...(actions.includes('sink') ? { sink } : {}),
      ...moved,
    }));
}

const item: fc.Arbitrary<Item> = fc.record({
  picked: chance(65),
  pages: fc.integer({ min: 1, max: 4 }),
  failures: fc.record({
    page: fc.integer({ min: 1, max: 2 }),
    times: fc.constantFrom(0, 0, 1, 2, 4),
    status: fc.constantFrom<404 | 503>(404, 503, 503),
  }),
  unready: fc.constantFrom(0, 1, 3, 3),
  broken: fc.constantFrom(
    undefined,
    undefined,
    undefined,
    undefined,
    'page',
    'picked',
    'done',
    'exit',
    'step',
    'over',
  ),
});

function step(index: number, count: number, forks: boolean): fc.Arbitrary<AbstractStep> {
  const target = fc.integer({ min: index + 1, max: forks ? Math.min(index + 2, count) : index + 1 });
  const all: readonly Move[] = ['next', 'fail', 'skip'];
  const loop = fc.record({
    items: fc.constantFrom(0, 1, 2, 2, 3),
    parallel: chance(40),
    bestEffort: chance(22),
  });
  return fc
    .record({
      loop: maybe(44, loop),
      enter: maybe(
        17,
        fc.tuple(act(target, [], ['next']), chance(60)).map(([does, holds]) => ({ ...does, holds })),
      ),
      again: maybe(
        65,
        fc.record({
          by: fc.constantFrom<Again>(
            'map',
            'policy',
            'rule',
            'stop',
            'stop',
            'strict',
            'strict',
            'poll',
            'poll',
          ),
          attempts: fc.constantFrom(2, 3, 3),
        }),
      ),
      pages: maybe(
        60,
        fc.record({
          by: fc.constantFrom('retry', 'retry', 'call', 'bounded', 'bounded'),
          limit: fc.integer({ min: 2, max: 4 }),
          sink: chance(60),
        }),
      ),
      collect: maybe(75, fc.record({ into: fc.constantFrom('ctx', 'iter', 'iter'), isResult: chance(50) })),
      picked: maybe(70, act(target, ['result', 'sink'], all)),
      done: maybe(80, act(target, ['sink'], ['next'])),
      error: maybe(
        50,
        fc
          .tuple(act(target, ['result', 'sink'], all), chance(30))
          .map(([does, only404]) => ({ ...does, only404 })),
      ),
      otherwise: maybe(
        30,
        fc
          .tuple(act(target, [], ['next', 'fail']), fc.constantFrom<'call' | 'end'>('call', 'end'))
          .map(([does, at]) => ({ ...does, at })),
      ),
      exit: maybe(60, act(target, ['sink'], ['next'])),
      over: maybe(70, act(target, ['sink'], ['next', 'fail'])),
      failed: maybe(40, act(target, ['sink'], ['next'])),
      inclusive: chance(75),
      sink: chance(30),
      vars: chance(40),
      structural: target,
      items: fc.array(item, { minLength: 3, maxLength: 3 }),
    })
    .map((drawn) => sayable(drawn as AbstractStep, forks));
}

/** Cut to what both vocabularies can say, and what depends on nothing but the playbook. */
function sayable(step: AbstractStep, forks: boolean): AbstractStep {
  const { loop: drawn, pages, again, enter, collect, otherwise, picked, done, structural } = step;
  // Where all rules act, those that answer an error would at every attempt.
  const inclusive = step.inclusive && again?.by !== 'rule' && again?.by !== 'poll';
  // Which iterations had their turn when a parallel loop fails, or a branch beside another, depends on order.
  const loop = drawn && { ...drawn, bestEffort: drawn.bestEffort || drawn.parallel || forks };
  const inOneBlock = pages?.by === 'retry' && again && again.by !== 'rule' && again.by !== 'policy';
  const endRule = step.exit ?? step.over ?? step.failed;
  return {
    ...step,
    loop,
    // A step has one block of `retry`.
    again: inOneBlock ? { ...again, by: 'policy' } : again,
    inclusive,
    enter: loop ? undefined : enter,
    // The rows of a page are not in the result that stands in its place.
    picked: picked && {
      ...picked,
      // In a loop it is the result of the step, which has no words in the other vocabulary.
      result: picked.result === true && !loop && !(inclusive && collect),
      // Rules of which all act are drawn for their choices to unite.
      ...(inclusive && !picked.fail && !picked.skip ? { next: picked.next ?? structural } : {}),
    },
    done: done && { ...done, ...(inclusive ? { next: done.next ?? structural } : {}) },
    collect: collect && { ...collect, into: !loop ? 'ctx' : loop.parallel ? 'iter' : collect.into },
    otherwise: otherwise && { ...otherwise, at: endRule ? otherwise.at : 'call' },
  };
}

/** A playbook in half of which steps may fork. */
export const abstractPlaybooks: fc.Arbitrary<AbstractPlaybook> = fc
  .tuple(fc.constantFrom(2, 3, 3), chance(54))
  .chain(([count, forks]) =>
    fc
      .tuple(...Array.from({ length: count }, (_, index) => step(index, count, forks)))
      .map((steps) => ({ bestEffort: forks, steps })),
  );
