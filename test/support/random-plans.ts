/**
 * Random plans for properties of the engine: forks, joins, cycles, loops in steps and in pipelines, rules of tasks and
 * of `case`, retries, pages, sinks, waits, sub-playbooks, jumps, failures, time limits, admission, writes. Built by
 * hand, so that everything a plan can say is reached.
 */
import fc from 'fast-check';
import { type Outcome, type Plan, type TaskCall } from '../../src/language/plan';
import { handPlan, type StepSketch } from './plans';
import { caseRules } from './random-case';
import { asides, chance, type Family, loops, pipelines } from './random-tasks';
import { httpError, ok } from './simulator';

export { type Family };

/** Executions of one step before a cycle without an end is stopped. */
const MAX_STEP_RUNS = 12;

function steps(index: number, count: number, family: Family): fc.Arbitrary<StepSketch> {
  return fc
    .record({
      loop: fc.option(loops('outer'), { freq: 2 }),
      hasCase: chance(50),
      sinks: fc.integer({ min: 0, max: 99 }).map((n) => (n < 70 ? 0 : n < 90 ? 1 : 2)),
      recovers: chance(60),
    })
    .chain((drawn) => stepOf(index, count, family, drawn));
}

interface Drawn {
  readonly loop: StepSketch['loop'] | null;
  readonly hasCase: boolean;
  readonly sinks: number;
  readonly recovers: boolean;
}

/** Where an arc leads: onward to one of the next steps, past the last one to the end, or back. */
function targets(index: number, count: number, { cycles }: Family): fc.Arbitrary<number> {
  const onward = fc.integer({ min: index + 1, max: Math.min(index + 2, count) });
  const back = fc.integer({ min: Math.max(0, index - 2), max: index });
  return fc.oneof({ weight: 5, arbitrary: onward }, { weight: cycles ? 1 : 0, arbitrary: back });
}

function stepOf(index: number, count: number, family: Family, drawn: Drawn): fc.Arbitrary<StepSketch> {
  const { loop, hasCase, sinks, recovers } = drawn;
  const name = `s${index}`;
  const stepAt = (to: number): string | null => (to === count ? null : `s${to}`);
  const names = Array.from({ length: sinks }, (_, n) => `${name}k${n}`);
  const target = targets(index, count, family);
  const arcs = fc.array(
    fc.record({ target, guard: chance(90), handles: chance(50) }).map(({ target: to, guard, handles }) => ({
      step: stepAt(to),
      when: String(guard),
      handlesFailure: handles,
      args: { [`from_${name}`]: to },
    })),
    { minLength: 1, maxLength: 3, size: 'max' },
  );
  const ofRules = fc.array(
    target.map((to) => ({ step: stepAt(to), args: { [`case_${name}`]: to } })),
    { maxLength: hasCase ? 4 : 0 },
  );
  const pipeline = { ...family, asides: names, fallible: loop !== null || (hasCase && recovers) };
  return fc
    .record({
      tasks: fc.oneof(
        { weight: 9, arbitrary: pipelines(0, `${name}t`, pipeline) },
        { weight: hasCase ? 1 : 0, arbitrary: fc.constant([]) },
      ),
      asides: asides(names, family),
      storesAtTheEnd: chance(50),
      arcs,
      ofRules,
      inclusive: chance(75),
      denied: chance(index === 0 ? 1 : 10),
      joinEach: chance(20),
      timeout: fc.option(fc.integer({ min: 1, max: 90 }), { freq: 4 }),
      bestEffort: chance(50),
    })
    .chain((step) => {
      const first = recovers ? 1 : 0;
      const next = [...step.arcs, ...step.ofRules.map((arc, rule) => ({ ...arc, rule: first + rule }))];
      const rules = caseRules(
        {
          step: name,
          asides: names,
          arcs: step.ofRules.map((_, rule) => step.arcs.length + rule),
          loop: !loop ? 'none' : loop.parallel === undefined ? 'sequential' : 'parallel',
          recovers,
        },
        family,
      );
      return rules.map((found) => ({
        name,
        tasks: step.tasks,
        inclusive: step.inclusive,
        bestEffort: step.bestEffort || !family.racy,
        set: { [`ctx.done_${name}`]: true },
        ...(hasCase ? { case: found.rules, allRules: found.all } : {}),
        ...(sinks > 0 ? { asides: step.asides, ...(step.storesAtTheEnd ? { sinks: names } : {}) } : {}),
        next,
        ...(loop ? { loop } : {}),
        ...(index % 2 === 1 ? { input: { own: `{{ ${index} + 1 }}` } } : {}),
        ...(step.denied ? { admit: 'false' } : {}),
        ...(family.racy && step.joinEach ? { joinEach: true } : {}),
        ...(family.racy && step.timeout !== null ? { timeout: step.timeout } : {}),
      }));
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
        const limits = {
          ...plan.limits,
          maxStepRuns: family.cycles ? MAX_STEP_RUNS : 1000,
          maxTaskVisits: family.racy ? 20 : 1000,
        };
        return {
          ...plan,
          limits,
          failureMode: bestEffort || !family.racy ? 'best_effort' : 'fail_fast',
        } as Plan;
      }),
    );
}

/** An answer that depends on what is asked and how often, and on nothing else: at most three failures in a row. */
export function answer(call: TaskCall): Outcome {
  const text = `${call.step}/${call.task}/${call.iteration ?? ''}`;
  let hash = 7;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) % 1009;
  const failures = hash % 3 === 0 ? hash % 4 : 0;
  return call.attempt <= failures ? httpError(503) : ok({ said: text });
}
