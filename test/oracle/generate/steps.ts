/** Random playbooks: a graph of steps, with forks, joins, cycles, loops and both vocabularies. */
import fc from 'fast-check';
import { stringify } from 'yaml';
import { type Dict, dict } from '../document';
import { caseBody } from './cases';
import { tool } from './pipelines';
import { defined, pick, rateLimit, sometimes, WORKBOOK } from './tasks';
import { type Other } from '../limits';
import { type Message } from '../outside';
import { outside } from './outside';
import { type Tools, tools } from './world';

/** A playbook, its payload and what its tools answer. */
export interface Sample {
  readonly text: string;
  readonly payload: Dict;
  readonly tools: Tools;
  /** What comes from outside; nothing if undefined. */
  readonly outside?: readonly Message[] | undefined;
  /** Playbooks that it calls, by path. */
  readonly children?: Readonly<Record<string, string>> | undefined;
  /** Executions that ask for its key. */
  readonly others?: readonly Other[] | undefined;
}

const NAMES = ['start', 's1', 's2', 's3', 's4', 's5', 'end'];

/** The loop of a step. */
export interface LoopSketch {
  readonly clause: Dict;
  readonly iterator: string;
  readonly isParallel: boolean;
}

const loop: fc.Arbitrary<LoopSketch> = fc
  .record({
    items: pick<unknown>([1, 2], [1, 2, 3], [5], [], '{{ workload.things }}'),
    spec: pick<Dict | undefined>(
      undefined,
      undefined,
      { mode: 'parallel' },
      { mode: 'parallel', max_in_flight: 2 },
      { mode: 'parallel', max_in_flight: 1 },
    ),
  })
  .map(({ items, spec }) => ({
    clause: defined({ in: items, iterator: 'item', spec }),
    iterator: 'item',
    isParallel: spec !== undefined,
  }));

/** Steps that come after this one, and before it. */
export interface Around {
  readonly name: string;
  readonly later: readonly string[];
  readonly earlier: readonly string[];
}

/** Arguments of a transition: how often the token went round, and which way it came. */
export function argsOf({ name, earlier }: Around, to: string, arc: number): Dict {
  const isBack = to === name || earlier.includes(to);
  const round = '(args.n | default(0))';
  return { n: `{{ ${isBack ? `${round} + 1` : round} }}`, via: { [`${name}_${arc}`]: 1 } };
}

export const isBack = ({ name, earlier }: Around, to: string): boolean => to === name || earlier.includes(to);

function target(around: Around): fc.Arbitrary<string> {
  const back = [around.name, ...around.earlier];
  if (around.later.length === 0) return pick(...back);
  return fc.oneof({ weight: 12, arbitrary: pick(...around.later) }, { weight: 1, arbitrary: pick(...back) });
}

function arcs(around: Around, isLoop: boolean): fc.Arbitrary<Dict> {
  const { name } = around;
  const guards = [
    undefined,
    undefined,
    undefined,
    "event.name == 'step.done'",
    "event.name == 'step.failed'",
    "event.name in ['step.done', 'step.failed']",
    "error.code == 'E1'",
    'error is defined',
    `${name}.status == 'error'`,
    `${name}.error is defined`,
    'args.n is defined and args.n >= 1',
    ...(isLoop
      ? [`${name} | length > 1`, `${name}.stats.failed > 0`, "event.name == 'loop.done'"]
      : [`(${name}.v | default(0)) >= 2`, `${name}.more`, 'response.v == 1']),
  ];
  const arc = fc.record({
    to: target(around),
    when: pick(...guards),
    set: sometimes(15, pick<Dict>({ [`ctx.a_${name}`]: '{{ args.n | default(3) }}' }, { extra: 4 })),
  });
  const written = (
    { to, when, set }: { to: string; when: string | undefined; set: Dict | undefined },
    index: number,
  ): Dict => {
    const limit = isBack(around, to) ? '(args.n | default(0)) < 2' : undefined;
    const guard = [limit, when].filter((each) => each !== undefined).join(' and ');
    return defined({
      step: to,
      when: guard === '' ? undefined : `{{ ${guard} }}`,
      args: argsOf(around, to, index),
      set,
    });
  };
  return fc
    .record({
      mode: pick('exclusive', 'inclusive', 'inclusive', undefined),
      all: fc.oneof(
        { weight: 4, arbitrary: fc.array(arc, { minLength: 1, maxLength: 2 }) },
        { weight: 1, arbitrary: fc.array(arc, { minLength: 3, maxLength: 3 }) },
      ),
    })
    .map(({ mode, all }) => defined({ spec: mode && { mode }, arcs: all.map(written) }));
}

const policy = (isLoop: boolean): fc.Arbitrary<Dict | undefined> =>
  fc
    .record({
      failure: sometimes(
        isLoop ? 50 : 15,
        pick<Dict>({ mode: 'best_effort' }, { mode: 'best_effort' }, { mode: 'fail_fast' }),
      ),
      join: sometimes(8, fc.constant('each')),
      lifecycle: sometimes(6, pick<Dict>({ timeout_s: 2.09 }, { timeout_s: 6.09 }, { deadline_s: 5.09 })),
      admit: sometimes(
        5,
        pick<Dict>(
          { rules: [{ when: '{{ args.n is defined }}', then: { allow: true } }] },
          { rules: [{ when: '{{ args.n == 1 }}', then: { allow: false } }] },
          {
            rules: [
              { when: '{{ workload.w > 1 }}', then: { allow: true } },
              { else: { then: { allow: false } } },
            ],
          },
        ),
      ),
    })
    .map((all) => (Object.keys(defined(all)).length > 0 ? { policy: defined(all) } : undefined));

/** Everything of a step of the canonical vocabulary but its name and its loop. */
export function canonical(around: Around, sketch: LoopSketch | undefined): fc.Arbitrary<Dict> {
  const { name } = around;
  return fc
    .record({
      tool: tool(name, sketch?.iterator, sketch?.isParallel ?? false),
      next:
        around.later.length === 0
          ? sometimes(10, arcs(around, sketch !== undefined))
          : sometimes(85, arcs(around, sketch !== undefined)),
      set: sometimes(
        15,
        pick<Dict>({ [`ctx.c_${name}`]: '{{ result }}' }, { [`ctx.c_${name}`]: '{{ args.n | default(0) }}' }),
      ),
    })
    .map(defined);
}

const stepInput = pick<Dict>(
  { n: 0 },
  { given: 'default' },
  { n: '{{ (args.n | default(0)) + 100 }}' },
  { copy: '{{ args.via | default(none) }}' },
);

function step(index: number, names: readonly string[]): fc.Arbitrary<Dict> {
  const name = names[index]!;
  const around: Around = { name, later: names.slice(index + 1), earlier: names.slice(0, index) };
  return sometimes(35, loop).chain((sketch) => {
    const body = fc.oneof(
      { weight: 3, arbitrary: canonical(around, sketch) },
      { weight: 2, arbitrary: caseBody(around, sketch) },
    );
    return fc
      .tuple(policy(sketch !== undefined), sometimes(15, stepInput), body)
      .map(([spec, input, rest]) => {
        const own = rest['spec'] as Dict | undefined;
        const both = spec || own ? { ...spec, ...own } : undefined;
        return defined({ step: name, spec: both, input, loop: sketch?.clause, ...rest });
      });
  });
}

const CHILD_NAMES = ['start', 's1', 'end'];
const HEAD = { apiVersion: 'noetl.io/v2', kind: 'Playbook' };

/** A sub-playbook: without calls of its own, and without `http`, of whose result only the body is defined. */
const child: fc.Arbitrary<string> = fc
  .tuple(...CHILD_NAMES.map((_, index) => step(index, CHILD_NAMES)))
  .map((steps) => {
    const [first, ...others] = plainly(steps) as Dict[];
    const seen = {
      given: "{{ workload.n | default('none') }}",
      of: "{{ iter.parent.item | default('none') }}",
    };
    const workflow = [{ ...first, input: { ...seen, ...(first!['input'] as Dict | undefined) } }, ...others];
    const metadata = { name: 'child', path: 'test/real' };
    return stringify({ ...HEAD, metadata, workload: { w: 1, things: [4, 5] }, workbook: WORKBOOK, workflow });
  });

/** With tools of kind `python` for those that a child cannot have. */
function plainly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainly);
  if (typeof value !== 'object' || value === null) return value;
  const {
    url: _url,
    method: _method,
    path: _path,
    return_step: _step,
    rate_limit: _rate,
    ...rest
  } = value as Dict;
  if (rest['kind'] === 'http' || rest['kind'] === 'playbook') {
    const { timeout: _timeout, wait: _wait, ...others } = rest;
    return plainly({ ...others, kind: 'python', code: 'result = 1' });
  }
  if (rest['kind'] === 'wait' && rest['event'] !== undefined) {
    const { event: _event, when: _when, timeout: _timeout, ...others } = rest;
    return plainly({ ...others, for: 1 });
  }
  return Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, plainly(each)]));
}

/** Limits of the whole execution, and of its tasks together. */
const executor: fc.Arbitrary<Dict | undefined> = sometimes(
  9,
  fc.oneof<fc.Arbitrary<Dict>[]>(
    fc
      .record({
        key: fc.constant('{{ workload.w }}'),
        limit: pick<unknown>(1, 1, 2, '{{ workload.w }}'),
        on_conflict: sometimes(90, pick('queue', 'skip', 'cancel_running', 'fail')),
      })
      .map((all) => ({ concurrency: defined(all) })),
    fc
      .record({ key: fc.constant('d'), period: pick(1.5, 4), max_wait: sometimes(30, pick(4, 6)) })
      .map((all) => ({ debounce: defined(all) })),
    rateLimit.map((rate_limit) => ({ rate_limit })),
  ),
);

const other: fc.Arbitrary<Omit<Other, 'execution'>> = fc
  .tuple(
    fc.oneof(
      fc.constant(0),
      fc.integer({ min: 1, max: 40 }).map((n) => n * 100 + 41),
    ),
    sometimes(70, fc.integer({ min: 1, max: 60 })),
  )
  .map(([arrives, length]) => ({
    arrives,
    ...(length !== undefined && { ends: arrives + length * 100 + 20 }),
  }));

export const samples: fc.Arbitrary<Sample> = fc.integer({ min: 1, max: 5 }).chain((count) => {
  const names = [...NAMES.slice(0, count), ...NAMES.slice(-1)];
  return fc.tuple(...names.map((_, index) => step(index, names))).chain((steps) => {
    const tasks = steps.flatMap((each) => tasksOf(each));
    const root = {
      apiVersion: 'noetl.io/v2',
      kind: 'Playbook',
      metadata: { name: 'random', path: 'test/random' },
    };
    const workload = { w: 1, things: [3, 1, 2] };
    const text = stringify({ ...root, workload, workbook: WORKBOOK, workflow: steps });
    const calls = text.includes('test/real');
    return fc.record({
      text: executor.map((spec) =>
        spec
          ? stringify({ ...root, executor: { spec }, workload, workbook: WORKBOOK, workflow: steps })
          : text,
      ),
      payload: pick<Dict>({}, {}, { w: 2 }, { things: [7] }),
      tools: tools(tasks),
      outside: outside(/\bevent: e\d/.test(text) ? 95 : 25),
      others: fc
        .array(other, { maxLength: 3 })
        .map((all) => all.map((each, n) => ({ execution: `28714639876116070${n}`, ...each }))),
      children: calls ? child.map((each) => ({ 'test/real': each })) : fc.constant(undefined),
    });
  });
});

function tasksOf({ step: name, tool: all }: Dict): string[] {
  const named = (tasks: unknown): unknown[] =>
    listed(tasks).flatMap((task) => [
      task['name'],
      ...named(task['tool']),
      ...listed(task['choose']).flatMap((branch) => [...named(branch['then']), ...named(branch['else'])]),
      ...[task['while'], task['until']].flatMap((turns) => named(dict(turns)['do'])),
    ]);
  const listed = (tasks: unknown): Dict[] => (Array.isArray(tasks) ? (tasks as Dict[]) : []);
  const tasks = named(all);
  return (tasks.length > 0 ? tasks : [`${String(name)}_task`]).map(
    (task) => `${String(name)}/${String(task)}`,
  );
}
