/** Random tasks and pipelines of the canonical vocabulary. */
import fc from 'fast-check';
import { type Dict } from '../document';

export const pick = <T>(...all: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...all);
/** The value, in so many of a hundred cases. */
export const sometimes = <T>(percent: number, value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof(
    { weight: 100 - percent, arbitrary: fc.constant(undefined) },
    { weight: percent, arbitrary: value },
  );
export const defined = (map: Dict): Dict =>
  Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined));

/** Where a task stands. */
export interface Place {
  readonly step: string;
  /** The name of its item, in a loop. */
  readonly iterator: string | undefined;
  readonly isParallel: boolean;
  /** Tasks before it, and all tasks of the pipeline. */
  readonly before: readonly string[];
  readonly all: readonly string[];
}

const when = pick(
  "outcome.status == 'error'",
  "outcome.status == 'error'",
  "outcome.status == 'ok'",
  "outcome.error.code == 'E1'",
  'output.error.retryable',
  '(output.data.v | default(0)) >= 2',
  "outcome.status == 'ok' and output.data.more",
  'error is defined',
  '_attempt < 2',
  'response.v == 1',
);

const retry = fc
  .record({
    attempts: sometimes(80, fc.integer({ min: 1, max: 4 })),
    backoff: sometimes(60, pick('none', 'fixed', 'linear', 'exponential')),
    delay: sometimes(70, pick<unknown>(0.5, 1, 3, '{{ _attempt * 2 }}')),
    max_delay: sometimes(20, pick(2, 4)),
  })
  .map((all) => defined({ do: 'retry', ...all }));

function directive({ all, iterator, before }: Place): fc.Arbitrary<Dict> {
  const jump = fc.record({ do: fc.constant('jump'), to: pick(...all) });
  const plain = pick<Dict>({ do: 'continue' }, { do: 'continue' }, { do: 'break' }, { do: 'fail' });
  const move =
    all.length > 1
      ? fc.oneof(
          { weight: 4, arbitrary: plain },
          { weight: 3, arbitrary: retry },
          { weight: 2, arbitrary: jump },
        )
      : fc.oneof(plain, retry);
  const task = before.length;
  const write = sometimes(
    25,
    pick<Dict>(
      { set_ctx: { [`w${task}`]: '{{ output.data.v | default(9) }}' } },
      { set: { [`ctx.x${task}`]: '{{ outcome.status }}' } },
      { set: { bare: '{{ (bare | default(0)) + 1 }}' } },
      ...(iterator === undefined ? [] : [{ set_iter: { mine: '{{ (iter.mine | default(0)) + 1 }}' } }]),
    ),
  );
  return fc.tuple(move, write).map(([one, two]) => ({ ...one, ...two }));
}

/** Rules; a jump is guarded by the number of visits, so that it ends. */
function rules(place: Place): fc.Arbitrary<Dict[]> {
  const guard = (text: string, { do: move, to }: Dict): string => {
    const isBack = move === 'jump' && place.all.indexOf(String(to)) <= place.before.length;
    return `{{ ${isBack ? `(turns | default(0)) < 2 and (${text})` : text} }}`;
  };
  const counted = (then: Dict): Dict =>
    then['do'] === 'jump'
      ? { ...then, set: { ...(then['set'] as Dict | undefined), turns: '{{ (turns | default(0)) + 1 }}' } }
      : then;
  const rule = fc
    .tuple(when, directive(place))
    .map(([text, then]) => ({ when: guard(text, then), then: counted(then) }));
  const otherwise = pick<Dict>({ do: 'continue' }, { do: 'break' }, { do: 'fail' }).map((then) => ({
    else: { then },
  }));
  return fc
    .tuple(fc.array(rule, { minLength: 1, maxLength: 3 }), sometimes(40, otherwise))
    .map(([some, last]) => (last ? [...some, last] : some));
}

function input({ step, before, iterator }: Place): fc.Arbitrary<Dict> {
  const task = before.at(-1);
  const entries: Dict = {
    n: '{{ args.n | default(0) }}',
    prev: '{{ _prev.v | default(none) }}',
    other: task && `{{ ${task}.v | default(7) }}`,
    ctx: `{{ ctx.c_${step} | default(0) }}`,
    bare: '{{ bare | default(0) }}',
    item: iterator && `{{ ${iterator} }}`,
    index: iterator && '{{ loop_index }}',
    mine: iterator && '{{ iter.mine | default(0) }}',
  };
  const keys = Object.keys(entries).filter((key) => entries[key] !== undefined);
  return fc
    .subarray(keys, { maxLength: 3 })
    .map((some) => Object.fromEntries(some.map((key) => [key, entries[key]])));
}

/** So rarely that runs take little longer. */
export const rateLimit = pick<Dict>(
  { key: 'k', limit: 1, per: 2 },
  { key: 'k', limit: 4, per: 2, burst: 1 },
  { key: '{{ workload.w }}', limit: 2, per: 4 },
);

const calling: fc.Arbitrary<Dict> = fc
  .record({
    return_step: sometimes(40, pick('s1', 'end')),
    timeout: sometimes(20, pick(1, 4)),
    wait: sometimes(25, fc.constant(false)),
  })
  .map((all) => defined({ kind: 'playbook', path: 'test/real', ...all }));

const waiting: fc.Arbitrary<Dict> = fc
  .record({
    event: pick('e1', 'e1', 'e2'),
    when: sometimes(
      30,
      pick('{{ event.payload.v >= 2 }}', '{{ event.payload.more }}', "{{ event.id != 'a' }}"),
    ),
    timeout: sometimes(80, pick(1.5, 4)),
  })
  .map((all) => defined({ kind: 'wait', ...all }));

export function kindOf(): fc.Arbitrary<Dict> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant<Dict>({ kind: 'python', code: 'result = 1' }) },
    { weight: 3, arbitrary: fc.constant<Dict>({ kind: 'http', url: 'http://x' }) },
    { weight: 2, arbitrary: fc.constant<Dict>({ kind: 'noop' }) },
    { weight: 1, arbitrary: fc.constant<Dict>({ kind: 'playbook', path: 'test/child' }) },
    { weight: 1, arbitrary: pick(1, 2.5, 3).map((time) => ({ kind: 'wait', for: time })) },
    { weight: 1, arbitrary: waiting },
    { weight: 1, arbitrary: calling },
  );
}

export function task(place: Place, name: string | undefined): fc.Arbitrary<Dict> {
  const writes = pick<Dict>(
    { 'ctx.t': '{{ output.data.v | default(5) }}' },
    { bare: '{{ (bare | default(0)) + 10 }}' },
    { 'ctx.t': '{{ args.n | default(1) }}', bare: 2 },
  );
  return fc
    .record({
      kind: kindOf(),
      input: sometimes(60, input(place)),
      rules: sometimes(45, rules(place)),
      set: sometimes(15, writes),
      unmatched: sometimes(15, pick('fail', 'continue')),
      rate: sometimes(3, rateLimit),
    })
    .map(({ kind, input: own, rules: some, set, unmatched, rate }) => {
      const isPlain = kind['kind'] === 'noop' || kind['kind'] === 'wait';
      const hasRules = some !== undefined && !(isPlain && name === undefined);
      const policy = hasRules ? defined({ rules: some, on_unmatched: unmatched }) : undefined;
      const isRated = ['python', 'http'].includes(String(kind['kind']));
      const spec =
        policy || (isRated && rate) ? defined({ policy, rate_limit: isRated ? rate : undefined }) : undefined;
      return defined({ name, ...kind, input: kind['kind'] === 'wait' ? undefined : own, spec, set });
    });
}

/** Tasks that others call by name. */
export const WORKBOOK: readonly Dict[] = [
  { name: 'plain', tool: { kind: 'python', code: 'result = 1', args: { p: 1 } } },
  {
    name: 'greet',
    tool: { kind: 'python', code: 'result = 1', args: { text: "hi {{ city | default('all') }}" } },
  },
];

export const called: fc.Arbitrary<Dict> = pick<Dict>(
  { kind: 'workbook', name: 'plain' },
  { kind: 'workbook', name: 'plain', args: { q: '{{ args.n | default(0) }}' } },
  { kind: 'workbook', name: 'greet', args: { city: 'Oslo' } },
  { kind: 'workbook', name: 'greet' },
);
