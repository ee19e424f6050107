/** Two spellings of one meaning do the same, product against product. */
import fc from 'fast-check';
import { differences } from '../oracle/compare';
import { elsewhere, loopOfOne, type Pair, twice, vocabularies } from '../oracle/generate/pairs';
import { type Sample } from '../oracle/generate/steps';
import { mockOf } from '../oracle/generate/world';
import { Endless } from '../oracle/clock';
import { PENDING } from '../oracle/pending';
import { perform } from '../oracle/product';
import { type Call, type Ending, interpret, type Mock } from '../oracle/run';
import { cases } from '../support/properties';

/** Brings an ending to the form in which the two are compared. */
type Same = (ending: Ending) => Ending;

const asIs: Same = (ending) => ending;

/** Whether a rule decides something in it that the product is known not to follow. */
function isPending({ text, tools, payload }: Sample): boolean {
  try {
    return (interpret(text, mockOf(tools), payload).hits ?? []).some((hit) => PENDING.has(hit));
  } catch (error) {
    if (error instanceof Endless) return true;
    throw error;
  }
}

function expectSame(
  pairs: fc.Arbitrary<Pair>,
  one: Same,
  other: Same,
  mock: (sample: Sample) => Mock = ({ tools }) => mockOf(tools),
): void {
  let compared = 0;
  let all = 0;
  fc.assert(
    fc.property(pairs, (pair) => {
      all += 1;
      if (isPending(pair.one) || isPending(pair.other)) return;
      const [a, b] = [perform(pair.one.text, mock(pair.one)), perform(pair.other.text, mock(pair.other))];
      if ('refused' in a || 'refused' in b) return;
      compared += 1;
      const found = differences(one(a), other(b));
      if (found.length > 0)
        throw new Error(
          [pair.one.text, pair.other.text, JSON.stringify(pair.one.tools), ...found].join('\n'),
        );
    }),
    { ...cases(100), endOnFailure: true },
  );
  expect(compared / all).toBeGreaterThan(0.5);
}

const calls = (ending: Ending, change: (call: Call) => Call): Ending => ({
  ...ending,
  calls: ending.calls.map(change),
});

/** The id of a call without the iteration of its step. */
const withoutIteration = (id: string): string => id.replace(/^(\w+#\d+)\[0\]/, '$1');

test('a loop of one item and no loop', () => {
  const flat: Same = (ending) => ({
    ...calls(ending, (call) => ({ ...call, id: withoutIteration(call.id) })),
    result: null,
    notes: [],
  });
  // The tools of the two answer and take the same, whatever the iteration is called.
  const mock = ({ tools }: Sample): Mock => {
    const inner = mockOf(tools);
    return (call) => inner({ ...call, id: withoutIteration(call.id) });
  };
  expectSame(loopOfOne, flat, flat, mock);
}, 600_000);

test('the vocabulary of case and the current one', () => {
  expectSame(vocabularies, asIs, asIs);
}, 600_000);

test.each(['distributed', 'local'] as const)(
  'iterations %s and inline',
  (exec) => {
    // What was cancelled in another workflow is not told to the simulated tools.
    const begun: Same = (ending) => calls(ending, (call) => ({ ...call, to: -1, isCancelled: false }));
    expectSame(elsewhere(exec), begun, begun);
  },
  600_000,
);

test('a step that runs twice and two steps', () => {
  const name = (text: string): string =>
    text.replace(/^start2?(#\d)?/, 'start').replaceAll('start2', 'start');
  const renamed: Same = (ending) => ({
    ...calls(ending, (call) => ({ ...call, id: `${call.from} ${name(call.id)}` })),
    steps: ending.steps.map(({ step, at }) => ({ step: name(step), at })),
    error: ending.error && { ...ending.error, step: name(ending.error.step ?? '') },
  });
  const mock = ({ tools }: Sample): Mock => {
    const inner = mockOf(tools);
    return (call) =>
      inner({
        ...call,
        step: name(call.step),
        task: name(call.task),
        id: call.id.replace(/^start#2/, 'start2#1').replace(/start2_(task|sink)/g, 'start_$1'),
      });
  };
  expectSame(twice, renamed, renamed, mock);
}, 600_000);
