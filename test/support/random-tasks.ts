/** Random pipelines: tools, waits, sub-playbooks and loops inside of loops, with every way to repeat and to go on. */
import fc from 'fast-check';
import { type Json } from '../../src/language/plan';
import { type LoopSketch, type PolicySketch, type RuleSketch, type TaskSketch } from './plans';

/** What a family of plans may contain. */
export interface Family {
  /** Arcs that lead back: runs end by `max_step_runs` at the latest. */
  readonly cycles?: true;
  /** Time limits, `join: each`, failures that nobody handles, writes that conflict: whatever depends on order. */
  readonly racy?: true;
}

/** What the tasks of one pipeline may do. */
export interface Pipeline extends Family {
  /** Failures are seen to from outside: by the loop around, or by rules of `case`. */
  readonly fallible: boolean;
  /** The step's sinks. */
  readonly asides: readonly string[];
}

export const chance = (percent: number): fc.Arbitrary<boolean> =>
  fc.integer({ min: 0, max: 99 }).map((n) => n < percent);

export const loops = (iterator: string): fc.Arbitrary<LoopSketch> =>
  fc
    .record({ size: fc.integer({ min: 0, max: 3 }), parallel: fc.option(fc.integer({ min: 1, max: 4 })) })
    .map(({ size, parallel }) => ({
      in: Array.from({ length: size }, (_, n) => n),
      as: iterator,
      ...(parallel === null ? {} : { parallel }),
    }));

const RETRY: RuleSketch = { when: "output.status == 'error'", do: 'retry', attempts: 3, delay: 60 };
const ONWARD: RuleSketch = { when: 'true', do: 'continue' };

/** Rules that always come to an end, and that make a success of any outcome unless the pipeline may fail. */
function rules(first: string | null, { racy, fallible }: Pipeline): fc.Arbitrary<readonly RuleSketch[]> {
  const choices: RuleSketch[][] = [[ONWARD], [RETRY, ONWARD], [{ do: 'break' }]];
  if (first !== null) {
    const again: RuleSketch = {
      when: '(iter.turns | default(0)) < 2',
      do: 'jump',
      to: first,
      set: { 'iter.turns': '{{ (iter.turns | default(0)) + 1 }}' },
    };
    choices.push([again, ONWARD], [RETRY, again, ONWARD]);
  }
  if (racy || fallible) {
    choices.push(
      [RETRY],
      [{ when: "output.status == 'error'", do: 'fail' }],
      [{ ...RETRY, attempts: 2, delay: 0 }],
    );
  }
  return fc.constantFrom(...choices);
}

/** Policies of `retry` that in the end have a success, as long as `answer` fails no more than three times. */
function policies(name: string, { racy, asides }: Pipeline): fc.Arbitrary<readonly PolicySketch[]> {
  const onError: PolicySketch = { attempts: 5, delay: 30 };
  const page: PolicySketch = {
    when: 'success and _retry.index < 3',
    attempts: 4,
    overrides: { config: { page: '{{ _retry.index + 1 }}' } },
    actions: [{ do: 'collect', from: '{{ data }}', into: 'iter.pages', mode: 'push', isResult: true }],
  };
  const stored: PolicySketch = {
    ...page,
    actions: [
      { do: 'collect', from: '{{ data.said }}', into: `ctx.pages_${name}`, mode: 'push' },
      { do: 'log', message: 'page {{ page.said }}' },
      ...asides.slice(0, 1).map((task) => ({ do: 'sink', task }) as const),
    ],
  };
  const choices: PolicySketch[][] = [
    [onError],
    [page, onError],
    // One page and no more; more pages than may be asked for; two policies that turn them.
    [{ ...stored, when: 'success and _retry.index < 1' }, onError],
    [{ ...stored, attempts: 2 }, onError],
    [{ ...stored, when: 'success and _retry.index < 2', overrides: { input: { page: 2 } } }, stored, onError],
    [{ ...page, delay: 5, actions: [{ do: 'set', set: { [`ctx.paged_${name}`]: true } }] }, onError],
    [stored, onError],
    [
      {
        retryWhen: 'status_code == 503',
        stopWhen: 'success',
        attempts: 5,
        delay: 5,
        backoff: 'exponential',
        maxDelay: 20,
      },
    ],
    [{ stopWhen: 'success', attempts: 5, delay: 2, multiplier: 3 }],
  ];
  if (racy) choices.push([{ attempts: 2 }], [{ retryWhen: 'true', attempts: 2, delay: 0 }]);
  return fc.constantFrom(...choices);
}

/** Kinds that run inside the workflow, and what they are asked. */
function inside(name: string, { racy }: Family): fc.Arbitrary<Pick<TaskSketch, 'kind' | 'config' | 'when'>> {
  const event = { event: name };
  return fc.constantFrom<Pick<TaskSketch, 'kind' | 'config' | 'when'>[]>(
    { kind: 'noop' },
    { kind: 'event_log' },
    { kind: 'wait', config: { for: 30 } },
    { kind: 'wait', config: { for: 'PT1H' } },
    { kind: 'wait', config: { until: 1_700_000_000 } },
    { kind: 'wait', config: event },
    { kind: 'wait', config: event, when: `event.payload.to == '${name}'` },
    { kind: 'playbook', config: { path: 'child', payload: { for: name } } },
    { kind: 'playbook', config: { path: 'child', wait: false } },
    ...(racy
      ? [
          { kind: 'wait', config: { event: 'anything', timeout: 45 } },
          { kind: 'playbook', config: { path: 'child', timeout: 20 } },
          { kind: 'wait', config: { for: 'soon' } },
        ]
      : []),
  );
}

export function pipelines(
  depth: number,
  path: string,
  family: Pipeline,
): fc.Arbitrary<readonly TaskSketch[]> {
  return fc.integer({ min: 0, max: 99 }).chain((dice) => {
    const size = dice < 5 && depth > 0 ? 0 : 1 + (dice % 3);
    const names = Array.from({ length: size }, (_, index) => `${path}${index}`);
    return fc.tuple(...names.map((name) => tasks(name, names[0]!, depth, family)));
  });
}

/** How a task goes on: by rules, by `retry`, or, where failures are seen to, by neither. */
function ways(
  name: string,
  first: string | null,
  pipeline: Pipeline,
): fc.Arbitrary<Pick<TaskSketch, 'rules' | 'retry'>> {
  const byRules = rules(first, pipeline).map((found) => ({ rules: found }));
  const byRetry = policies(name, pipeline).map((retry) => ({ retry }));
  return fc.oneof(
    { weight: 5, arbitrary: byRules },
    { weight: 2, arbitrary: byRetry },
    { weight: pipeline.fallible || pipeline.racy ? 3 : 0, arbitrary: fc.constant({}) },
  );
}

function tasks(name: string, first: string, depth: number, pipeline: Pipeline): fc.Arbitrary<TaskSketch> {
  const { racy, asides } = pipeline;
  const writes = fc.constantFrom<Record<string, Json> | undefined>(
    undefined,
    { 'iter.mark': '{{ loop_index | default(0) }}', bare: 1 },
    { [`ctx.${name}`]: 'same whoever writes it' },
    ...(racy ? [{ 'ctx.shared': '{{ loop_index | default(0) }}' }] : []),
  );
  const common = fc.record({
    way: ways(name, first, pipeline),
    set: writes,
    bestEffort: chance(50),
    stores: chance(25),
    needsContext: chance(10),
  });
  const plain = fc
    .tuple(common, fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, inside(name, pipeline)))
    .map(([{ way, set, stores, needsContext }, kind]) => ({
      name,
      ...kind,
      input: INPUT(name),
      ...way,
      ...(set ? { set } : {}),
      ...(stores && asides.length > 0 ? { sinks: asides } : {}),
      ...(needsContext ? { needsContext } : {}),
    }));
  if (depth >= 2) return plain;
  const nested = fc
    .tuple(
      common,
      loops(`item${depth}`),
      chance(50).chain((fallible) =>
        pipelines(depth + 1, `${name}_`, { ...pipeline, fallible }).map((body) => ({ body, fallible })),
      ),
    )
    .map(([{ way, set, bestEffort }, loop, { body, fallible }]) => ({
      name,
      loop,
      body,
      ...way,
      ...(set ? { set } : {}),
      options: {
        failure: { mode: bestEffort || fallible || !racy ? 'best_effort' : 'fail_fast' },
      },
    }));
  return fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: nested });
}

/** What templates see of the place, and never when it is: that depends on the order of completions. */
const INPUT = (who: string): Json => ({
  who,
  index: '{{ loop_index | default(0) }}',
  parent: '{{ iter.parent.index | default(none) }}',
  turns: '{{ iter.turns | default(0) }}',
});

/** Sinks: tasks beside the pipeline. They have no task to jump to, and store what they are asked about. */
export function asides(names: readonly string[], family: Family): fc.Arbitrary<readonly TaskSketch[]> {
  return fc.tuple(
    ...names.map((name, index) =>
      fc
        .record({
          way: ways(name, null, { ...family, fallible: false, asides: [] }),
          kind: fc.constantFrom('postgres', 'noop', 'event_log'),
          when: fc.constantFrom(undefined, 'true', 'false', 'loop_index is defined'),
          stores: chance(30),
        })
        .map(({ way, kind, when, stores }) => ({
          name,
          kind,
          input: { stored: '{{ result }}' },
          ...way,
          ...(when === undefined ? {} : { when }),
          ...(stores && index > 0 ? { sinks: names.slice(0, index) } : {}),
        })),
    ),
  );
}
