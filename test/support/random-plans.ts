/**
 * Random plans for properties of the engine: forks, joins, cycles, loops in steps and in pipelines, retries, jumps,
 * failures, time limits, admission, writes. Built by hand, so that everything a plan can say is reached.
 */
import fc from 'fast-check';
import { type Plan, type TaskCall, type Json, type Outcome } from '../../src/plan';
import {
  type ArcSketch,
  handPlan,
  type LoopSketch,
  type RuleSketch,
  type StepSketch,
  type TaskSketch,
} from './plans';
import { httpError, ok } from './simulator';

/** What a family of plans may contain. */
export interface Family {
  /** Arcs that lead back: runs end by `max_step_runs` at the latest. */
  readonly cycles?: true;
  /** Step time limits, `join: each`, failures that nobody handles, writes that conflict: whatever depends on order. */
  readonly racy?: true;
}

/** Executions of one step before a cycle without an end is stopped. */
const MAX_STEP_RUNS = 12;

const chance = (percent: number): fc.Arbitrary<boolean> =>
  fc.integer({ min: 0, max: 99 }).map((n) => n < percent);

const loops = (iterator: string): fc.Arbitrary<LoopSketch> =>
  fc
    .record({ size: fc.integer({ min: 0, max: 3 }), parallel: fc.option(fc.integer({ min: 1, max: 4 })) })
    .map(({ size, parallel }) => ({
      in: Array.from({ length: size }, (_, n) => n),
      as: iterator,
      ...(parallel === null ? {} : { parallel }),
    }));

/** Rules that always come to an end, and that make a success of any outcome unless the family may fail. */
function rules(first: string, family: Family): fc.Arbitrary<readonly RuleSketch[]> {
  const retry: RuleSketch = { when: "output.status == 'error'", do: 'retry', attempts: 3, delay: 60 };
  const again: RuleSketch = {
    when: '(iter.turns | default(0)) < 2',
    do: 'jump',
    to: first,
    set: { 'iter.turns': '{{ (iter.turns | default(0)) + 1 }}' },
  };
  const onward: RuleSketch = { when: 'true', do: 'continue' };
  const choices: RuleSketch[][] = [
    [onward],
    [retry, onward],
    [again, onward],
    [{ do: 'break' }],
    [retry, again, onward],
  ];
  if (family.racy)
    choices.push(
      [retry],
      [{ when: "output.status == 'error'", do: 'fail' }],
      [{ ...retry, attempts: 2, delay: 0 }],
    );
  return fc.constantFrom(...choices);
}

function pipelines(depth: number, path: string, family: Family): fc.Arbitrary<readonly TaskSketch[]> {
  return fc.integer({ min: 0, max: 99 }).chain((dice) => {
    const size = dice < 5 && depth > 0 ? 0 : 1 + (dice % 3);
    const names = Array.from({ length: size }, (_, index) => `${path}${index}`);
    return fc.tuple(...names.map((name) => tasks(name, names[0]!, depth, family)));
  });
}

function tasks(name: string, first: string, depth: number, family: Family): fc.Arbitrary<TaskSketch> {
  const input: Json = { who: name, index: '{{ loop_index | default(0) }}' };
  const writes = fc.constantFrom<Record<string, Json> | undefined>(
    undefined,
    { 'iter.mark': '{{ loop_index | default(0) }}', bare: 1 },
    { [`ctx.${name}`]: 'same whoever writes it' },
    ...(family.racy ? [{ 'ctx.shared': '{{ loop_index | default(0) }}' }] : []),
  );
  const common = fc.record({ rules: rules(first, family), set: writes, bestEffort: chance(50) });
  const plain = fc.tuple(common, fc.constantFrom('python', 'noop')).map(([{ rules: found, set }, kind]) => ({
    name,
    kind,
    input,
    rules: found,
    ...(set ? { set } : {}),
  }));
  if (depth >= 2) return plain;
  const nested = fc
    .tuple(common, loops(`item${depth}`), pipelines(depth + 1, `${name}_`, family))
    .map(([{ rules: found, set, bestEffort }, loop, body]) => ({
      name,
      loop,
      body,
      rules: found,
      ...(set ? { set } : {}),
      options: { failure: { mode: bestEffort || !family.racy ? 'best_effort' : 'fail_fast' } },
    }));
  return fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: nested });
}

function steps(index: number, count: number, family: Family): fc.Arbitrary<StepSketch> {
  const name = `s${index}`;
  const arcs = fc.array(
    fc.record({
      jump: fc.integer({ min: family.cycles ? -2 : 1, max: 4 }),
      guard: chance(80),
      handles: chance(30),
    }),
    { maxLength: 3 },
  );
  return fc
    .record({
      tasks: pipelines(0, `${name}t`, family),
      loop: fc.option(loops('outer'), { freq: 2 }),
      arcs,
      inclusive: chance(60),
      denied: chance(10),
      joinEach: chance(20),
      timeout: fc.option(fc.integer({ min: 1, max: 90 }), { freq: 4 }),
      bestEffort: chance(50),
    })
    .map((drawn) => {
      const next: ArcSketch[] = drawn.arcs
        .map(({ jump, guard, handles }) => ({
          step: index + jump === count ? null : `s${index + jump}`,
          when: String(guard),
          handlesFailure: handles,
          args: { [`from_${name}`]: jump },
          target: index + jump,
        }))
        .filter(({ target }) => target >= 0 && target <= count)
        .map(({ target: _, ...arc }) => arc);
      return {
        name,
        tasks: drawn.tasks,
        inclusive: drawn.inclusive,
        bestEffort: drawn.bestEffort || !family.racy,
        set: { [`ctx.done_${name}`]: true },
        ...(next.length > 0 ? { next } : {}),
        ...(drawn.loop ? { loop: drawn.loop } : {}),
        ...(drawn.denied ? { admit: 'false' } : {}),
        ...(family.racy && drawn.joinEach ? { joinEach: true } : {}),
        ...(family.racy && drawn.timeout !== null ? { timeout: drawn.timeout } : {}),
      };
    });
}

/** Plans of a family. */
export function plans(family: Family = {}): fc.Arbitrary<Plan> {
  return fc
    .integer({ min: 2, max: 8 })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => steps(index, count, family))))
    .chain((sketches) =>
      chance(50).map((bestEffort) => {
        const plan = handPlan(sketches);
        const limits = { ...plan.limits, maxStepRuns: MAX_STEP_RUNS, maxTaskVisits: 20 };
        return {
          ...plan,
          limits,
          failureMode: bestEffort || !family.racy ? 'best_effort' : 'fail_fast',
        } as Plan;
      }),
    );
}

/** An answer that depends on what is asked and how often, and on nothing else. */
export function answer(call: TaskCall): Outcome {
  const text = `${call.step}/${call.task}/${call.iteration ?? ''}`;
  let hash = 7;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) % 1009;
  const failures = hash % 5 === 0 ? hash % 4 : 0;
  return call.attempt <= failures ? httpError(503) : ok({ said: text });
}
