/** Random rules of the `case` vocabulary: every event, alias, action and move. */
import fc from 'fast-check';
import { type ActionSketch, type CaseRuleSketch } from './plans';
import { chance, type Family } from './random-tasks';

type Guard = Omit<CaseRuleSketch, 'actions'>;

/** Guards by when they hold, with what the compiler would find in them. */
const GUARDS = {
  enter: { when: "event.name == 'step.enter'" },
  done: { when: "event.name == 'call.done'" },
  page: { when: "event.name == 'call.done' and _retry.index < 3" },
  error: { when: "event.name == 'call.error'", readsFailure: true },
  unavailable: { when: "event.name == 'call.error' and error.status == 503", readsFailure: true },
  sees: { when: "event.name in ['call.done', 'step.exit'] and error is defined", seesError: true },
  exit: { when: "event.name == 'step.exit'" },
  // A guard that says nothing of its event is asked at the call and at the end, one that stores at the end of iterations.
  any: { when: 'true' },
  failed: { when: "event.name == 'step.failed'", readsFailure: true },
  boundary: { when: "event.name == 'loop.done'" },
  else: {},
  elseAtTheEnd: { on: ['end'] as const },
} as const satisfies Record<string, Guard>;
type GuardName = keyof typeof GUARDS;

/** What the rules of a step may refer to. */
export interface Around {
  readonly step: string;
  readonly asides: readonly string[];
  /** Arcs that belong to rules, by index: each rule gets one. */
  readonly arcs: readonly number[];
  /** Its loop: which iterations of a parallel one had their turn when a rule ends it depends on order. */
  readonly loop: 'none' | 'sequential' | 'parallel';
  /** The first rule makes a success of every failure. */
  readonly recovers: boolean;
}

/** What is done before the move. */
function acts({ step, asides }: Around): fc.Arbitrary<readonly ActionSketch[]> {
  const sinks = asides.map((task) => ({ do: 'sink', task }) as const);
  const one = fc.constantFrom<ActionSketch[]>(
    { do: 'set', set: { [`ctx.case_${step}`]: 'same whoever writes it', 'iter.case': true } },
    { do: 'set', set: { 'step.index': '{{ iter.index | default(0) }}', bare: 1 } },
    { do: 'log', message: 'response is {{ response }}' },
    { do: 'result', value: { picked: '{{ iter.index | default(0) }}' } },
    { do: 'collect', from: '{{ iter.index | default(0) }}', into: `ctx.push_${step}`, mode: 'push' },
    { do: 'collect', from: [1, '{{ iter.index | default(0) }}'], into: `ctx.all_${step}`, mode: 'concat' },
    { do: 'collect', from: { last: '{{ iter.index | default(0) }}' }, into: `ctx.m_${step}`, mode: 'merge' },
    { do: 'collect', from: '{{ event.name }}', into: 'iter.own', mode: 'push', isResult: true },
    ...sinks,
  );
  return fc.array(one, { maxLength: 3 });
}

function move(
  guard: GuardName,
  arc: number,
  around: Around,
  { racy }: Family,
): fc.Arbitrary<readonly ActionSketch[]> {
  const choices: (readonly ActionSketch[])[] = [
    [],
    [{ do: 'next', arcs: [arc] }],
    [{ do: 'next', arcs: around.arcs }],
    [{ do: 'retry', attempts: 3, delay: 10 }],
    [{ do: 'retry', attempts: 3, overrides: { input: { page: '{{ _retry.index + 1 }}' } } }],
  ];
  if (racy || guard !== 'else') choices.push([{ do: 'skip', reason: 'enough' }]);
  // Without an end in sight the limit of visits ends it, as a failure.
  const call = [{ do: 'call', overrides: { config: { more: true } } }] as const;
  if (racy || guard === 'page') choices.push(call);
  if (racy) choices.push(call, [{ do: 'fail', message: 'no more' }]);
  return fc.constantFrom(...choices);
}

const RECOVERY: CaseRuleSketch = {
  ...GUARDS.error,
  actions: [{ do: 'result', value: { recovered: '{{ error.code }}' } }],
};

/** Rules of one step; none for most. */
export function caseRules(
  around: Around,
  family: Family,
): fc.Arbitrary<{ readonly rules: readonly CaseRuleSketch[]; readonly all: boolean }> {
  const names = [...(Object.keys(GUARDS) as GuardName[]), 'done', 'exit', 'exit'] as const;
  const mayEnd = around.loop === 'sequential' || (around.loop === 'parallel' && family.racy === true);
  const rule = (arc: number): fc.Arbitrary<CaseRuleSketch> =>
    fc.constantFrom(...names).chain((guard) =>
      fc.tuple(acts(around), move(guard, arc, around, family), chance(15)).map(([first, last, ends]) => ({
        ...GUARDS[guard],
        ...(mayEnd && ends ? { endLoop: true as const } : {}),
        actions: [...first, ...last],
      })),
    );
  return fc
    .tuple(fc.tuple(...around.arcs.map(rule)), chance(30))
    .map(([rules, all]) => ({ rules: around.recovers ? [RECOVERY, ...rules] : rules, all }));
}
