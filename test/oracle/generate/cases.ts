/** Random steps of the `case` vocabulary: rules on events, `retry`, `vars`, structural `next`. */
import fc from 'fast-check';
import { type Dict } from '../document';
import { argsOf, type Around, type LoopSketch } from './steps';
import { defined, pick, sometimes } from './tasks';

const ON_CALL = [
  "event.name == 'call.done'",
  "event.name == 'call.done' and (response.v | default(0)) >= 2",
  "event.name == 'call.done' and not response.more",
  "event.name == 'call.error'",
  "event.name == 'call.error' and error.code == 'E1'",
  "event.name == 'call.done' and error is defined and error.code == 'E1'",
  "event.name in ['call.done', 'call.error']",
  '(response.v | default(0)) >= 2',
];
const AT_END = [
  "event.name == 'step.exit'",
  "event.name == 'step.done'",
  "event.name == 'step.failed'",
  "event.name == 'step.exit' and response is defined",
  "event.name == 'step.exit' and response is not defined",
  "event.name == 'step.exit' and error is defined",
];
const ENTER = "event.name == 'step.enter'";

function next(around: Around, rule: number): fc.Arbitrary<unknown> {
  const target = pick(...(around.later.length > 0 ? around.later : [around.name]));
  const one = target.map((step) => ({ step, args: argsOf(around, step, rule) }));
  // Its guard ends the cycle.
  if (around.later.length === 0) return one.map((each) => [each]);
  return fc.oneof(
    target,
    one.map((each) => [each]),
    fc.array(one, { minLength: 2, maxLength: 2 }),
    fc.array(target, { minLength: 2, maxLength: 2 }),
  );
}

const collect = (name: string): fc.Arbitrary<Dict> =>
  pick<Dict>(
    { from: 'response.rows', into: `pages_${name}`, mode: 'extend' },
    { from: 'response.v', into: `pages_${name}`, mode: 'append' },
    { strategy: 'append', path: 'rows', into: `pages_${name}` },
    { strategy: 'append', path: 'v', into: `pages_${name}` },
  );

const again = pick<Dict>(
  { retry: { max_attempts: 3, initial_delay: 1, backoff_multiplier: 2 } },
  { retry: { max_attempts: 2, initial_delay: 0.5 } },
);

/** What is stored: sometimes under a condition or an own name. */
export function sink(step: string): fc.Arbitrary<Dict> {
  return fc
    .record({
      tool: pick<Dict>(
        { kind: 'python', code: 'result = 1' },
        { kind: 'http', method: 'POST', url: 'http://y' },
      ),
      args: pick<Dict>(
        { v: '{{ result.v | default(0) }}' },
        { all: '{{ result }}' },
        { way: '{{ args.n | default(0) }}' },
        { why: "{{ error.code | default('none') }}" },
      ),
      when: sometimes(25, pick('{{ (response.v | default(0)) >= 1 }}', '{{ args.n is defined }}')),
      name: sometimes(15, fc.constant(`keep_${step}`)),
    })
    .map(({ tool, args, when, name }) =>
      defined({ tool, args: tool['kind'] === 'http' ? undefined : args, when, name }),
    );
}

function thenOf(around: Around, index: number, on: string, isLoop: boolean): fc.Arbitrary<Dict> {
  const { name } = around;
  const isCall = ON_CALL.includes(on);
  const set = pick<Dict>(
    { [`r${index}_${name}`]: 1 },
    { [`ctx.r${index}_${name}`]: '{{ response.v | default(0) }}' },
    { [`r_${name}`]: index },
  );
  const result = pick<unknown>(
    { from: 'response.v' },
    { own: index },
    `pages: {{ pages_${name} | default([]) | length }}`,
  );
  const page =
    on.includes('call.done') && !on.includes('error')
      ? [fc.constant<Dict>({ call: { args: { page: '{{ (response.v | default(0)) + 1 }}' } } })]
      : [];
  const repeat = isCall && on.includes('event') ? [again, ...page] : [];
  const move = fc.oneof(
    next(around, index).map((to) => ({ next: to })),
    next(around, index).map((to) => ({ next: to })),
    pick<Dict>({ fail: 'enough' }, { skip: true }),
    ...repeat,
  );
  return fc
    .record({
      set: sometimes(45, set),
      collect:
        isCall && on !== '(response.v | default(0)) >= 2' && !on.includes('error')
          ? sometimes(25, collect(name))
          : fc.constant(undefined),
      result: on === ENTER ? fc.constant(undefined) : sometimes(10, result),
      sink: on === ENTER ? fc.constant(undefined) : sometimes(12, sink(name)),
      end_loop: isLoop && isCall ? sometimes(20, fc.constant(true)) : fc.constant(undefined),
      move: sometimes(60, move),
    })
    .map(({ move: last, ...rest }) => defined({ ...rest, ...last }))
    .filter((then) => Object.keys(then).length > 0);
}

/** A `call` or `retry` that repeats a success is guarded by more pages, and a cycle by its rounds, so that they end. */
function guarded(on: string, then: Dict, { later }: Around): string {
  if (Object.hasOwn(then, 'call')) return `{{ ${on} and response.more }}`;
  return `{{ ${Object.hasOwn(then, 'next') && later.length === 0 ? `${on} and (args.n | default(0)) < 2` : on} }}`;
}

function rule(around: Around, index: number, isLoop: boolean): fc.Arbitrary<Dict> {
  const ends = isLoop ? [...AT_END, "event.name == 'loop.done'"] : AT_END;
  const on = fc.oneof(
    { weight: 6, arbitrary: pick(...ON_CALL) },
    { weight: 4, arbitrary: pick(...ends) },
    { weight: 1, arbitrary: fc.constant(ENTER) },
  );
  return on.chain((event) =>
    thenOf(around, index, event, isLoop).map((then) => ({ when: guarded(event, then, around), then })),
  );
}

const poll = fc
  .record({
    max_attempts: fc.integer({ min: 1, max: 4 }),
    initial_delay: pick(0.5, 1, 2),
    backoff_multiplier: sometimes(50, pick(1, 2, 1.5)),
    retry_when: sometimes(
      40,
      pick('{{ error is defined }}', "{{ error.code == 'E1' }}", '{{ response.more }}', '{{ not success }}'),
    ),
    stop_when: sometimes(30, pick('{{ (response.v | default(0)) >= 2 }}', '{{ success }}')),
  })
  .map(defined);

function policies(name: string): fc.Arbitrary<Dict[]> {
  const errors = pick<Dict>(
    { when: '{{ error is defined }}', then: { max_attempts: 3, initial_delay: 1, backoff_multiplier: 2 } },
    { when: "{{ error.code in ['E1', 'HTTP_503'] }}", then: { max_attempts: 2, initial_delay: 0.5 } },
    { when: '{{ response.more }}', then: { max_attempts: 3, initial_delay: 2 } },
  );
  const pages = fc
    .record({
      max: fc.integer({ min: 1, max: 5 }),
      into: collect(name).filter((each) => each['strategy'] !== undefined),
      sink: sometimes(20, sink(name)),
    })
    .map(({ max, into, sink: kept }) => ({
      when: '{{ response.more }}',
      then: {
        max_attempts: max,
        next_call: { args: { page: '{{ (response.v | default(0)) + 1 }}' } },
        collect: into,
        ...(kept && { sink: kept }),
      },
    }));
  return fc.oneof(
    errors.map((each) => [each]),
    pages.map((each) => [each]),
    fc.tuple(errors, pages),
    fc.tuple(pages, errors),
  );
}

function structural(around: Around): fc.Arbitrary<unknown> {
  const { later } = around;
  if (later.length === 0) return fc.constant(undefined);
  const one = pick(...later);
  const full = one.map((step) => ({ step, args: argsOf(around, step, 9) }));
  return fc.oneof(
    one,
    full.map((each) => [each]),
    fc.array(full, { minLength: 2, maxLength: 2 }),
    fc.constant(undefined),
  );
}

/** Everything of a step but its name and its loop. */
export function caseBody(around: Around, sketch: LoopSketch | undefined): fc.Arbitrary<Dict> {
  const { name } = around;
  const isLoop = sketch !== undefined;
  const input = pick<Dict>(
    { page: 1 },
    { page: 1, n: '{{ args.n | default(0) }}' },
    ...(sketch ? [{ page: 1, item: '{{ item }}' }] : []),
  );
  const kind = pick<Dict>({ kind: 'python', code: 'result = 1' }, { kind: 'http', url: 'http://x' });
  const rules = fc
    .integer({ min: 0, max: 4 })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => rule(around, index, isLoop))));
  return fc
    .record({
      kind,
      input,
      rules,
      inclusive: sometimes(20, fc.constant('inclusive')),
      retry: sometimes(35, fc.oneof<fc.Arbitrary<unknown>[]>(poll, policies(name))),
      sink: sometimes(10, sink(name)),
      vars: sometimes(25, fc.constant({ [`v_${name}`]: '{{ result }}' })),
      next: structural(around),
    })
    .map(({ kind: tool, input: own, rules: some, inclusive, retry, sink: stored, vars, next: after }) =>
      defined({
        spec: inclusive && some.length > 0 ? { case_mode: inclusive } : undefined,
        tool: { ...tool, input: own },
        retry,
        vars,
        sink: stored,
        case: some.length > 0 ? some : undefined,
        next: after,
      }),
    );
}
