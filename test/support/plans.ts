/** Plans built by hand, for what the engine runs whatever a vocabulary calls it: one line a task. */
import {
  type Assignment,
  type Directive,
  type Json,
  type LoopPlan,
  type Plan,
  type Rule,
  type StepPlan,
  type TaskPlan,
  type Value,
} from '../../src/plan';
import { hasTemplateSyntax, parseExpression, parseTemplate } from '../../src/template';
import { planOf, playbookOf } from './simulator';

const AT = [1, 1] as const;

export interface LoopSketch {
  readonly in: Json;
  readonly as: string;
  readonly parallel?: number;
}

export interface RuleSketch {
  /** An expression, without braces. */
  readonly when?: string;
  readonly do: Directive;
  readonly attempts?: number;
  readonly delay?: number;
  readonly to?: string;
  readonly set?: Readonly<Record<string, Json>>;
}

export interface TaskSketch {
  readonly name: string;
  readonly kind?: string;
  readonly input?: Json;
  readonly config?: Json;
  readonly options?: Json;
  readonly rules?: readonly RuleSketch[];
  readonly set?: Readonly<Record<string, Json>>;
  readonly loop?: LoopSketch;
  readonly body?: readonly TaskSketch[];
}

export interface StepSketch {
  readonly name: string;
  readonly tasks: readonly TaskSketch[];
  readonly loop?: LoopSketch;
  readonly input?: Json;
  readonly timeout?: number;
  readonly bestEffort?: boolean;
  readonly joinEach?: boolean;
  readonly admit?: string;
  readonly set?: Readonly<Record<string, Json>>;
  readonly next?: readonly ArcSketch[];
  readonly inclusive?: boolean;
}

export interface ArcSketch {
  readonly step: string | null;
  readonly when?: string;
  readonly handlesFailure?: boolean;
  readonly args?: Json;
}

/** JSON with templates in its strings, compiled. */
export function value(json: Json): Value {
  if (typeof json === 'string' && hasTemplateSyntax(json)) return { template: parseTemplate(json) };
  if (Array.isArray(json)) return { list: json.map(value) };
  if (typeof json === 'object' && json !== null) {
    return { map: Object.entries(json).map(([key, field]) => [key, value(field)] as const) };
  }
  return { const: json };
}

/** `{'ctx.a.b': 1, 'iter.x': 2, bare: 3}`, as `set` is written. */
export function assignments(set: Readonly<Record<string, Json>> = {}): Assignment[] {
  return Object.entries(set).map(([name, json]) => {
    const path = name.split('.');
    const scope = ['ctx', 'iter', 'step'].includes(path[0]!) ? (path[0] as 'ctx') : 'local';
    return { scope, path: scope === 'local' ? path : path.slice(1), value: value(json), at: AT };
  });
}

export function loopPlan(loop: LoopSketch): LoopPlan {
  return {
    in: value(loop.in),
    iterator: loop.as,
    mode: loop.parallel === undefined ? 'sequential' : 'parallel',
    ...(loop.parallel === undefined ? {} : { maxInFlight: { const: loop.parallel } }),
    exec: 'inline',
    at: AT,
  };
}

function rulePlan(rule: RuleSketch): Rule {
  return {
    ...(rule.when === undefined ? {} : { when: parseExpression(rule.when) }),
    do: rule.do,
    ...(rule.attempts === undefined ? {} : { attempts: { const: rule.attempts } }),
    ...(rule.delay === undefined ? {} : { delay: { const: rule.delay } }),
    ...(rule.to === undefined ? {} : { to: rule.to }),
    set: assignments(rule.set),
    at: AT,
  };
}

export function taskPlan(task: TaskSketch): TaskPlan {
  return {
    name: task.name,
    kind: task.kind ?? (task.loop ? 'iterator' : 'python'),
    at: AT,
    ...(task.input === undefined ? {} : { input: value(task.input) }),
    config: value(task.config ?? {}),
    strict: [],
    spec: { delivery: 'at_least_once', options: value(task.options ?? {}) },
    ...(task.rules ? { rules: task.rules.map(rulePlan) } : {}),
    ...(task.loop ? { loop: loopPlan(task.loop), body: (task.body ?? []).map(taskPlan) } : {}),
    set: assignments(task.set),
  };
}

export function stepPlan(step: StepSketch): StepPlan {
  return {
    name: step.name,
    at: AT,
    tasks: step.tasks.map(taskPlan),
    pipeline: step.tasks.length > 1,
    set: assignments(step.set),
    ...(step.loop ? { loop: loopPlan(step.loop) } : {}),
    ...(step.input === undefined ? {} : { input: value(step.input) }),
    ...(step.timeout === undefined ? {} : { timeout: { const: step.timeout } }),
    ...(step.bestEffort === undefined
      ? {}
      : { failureMode: step.bestEffort ? ('best_effort' as const) : ('fail_fast' as const) }),
    ...(step.joinEach ? { joinEach: true as const } : {}),
    ...(step.admit === undefined
      ? {}
      : { admit: [{ when: parseExpression(step.admit), allow: true, at: AT }] }),
    ...(step.next
      ? {
          router: {
            mode: step.inclusive ? ('inclusive' as const) : ('exclusive' as const),
            arcs: step.next.map((arc) => ({
              step: arc.step,
              ...(arc.when === undefined ? {} : { when: parseExpression(arc.when) }),
              ...(arc.args === undefined ? {} : { args: value(arc.args) }),
              set: [],
              handlesFailure: arc.handlesFailure ?? false,
              at: AT,
            })),
          },
        }
      : {}),
  };
}

/** A plan of these steps; the first is the entry. */
export function handPlan(steps: readonly StepSketch[], more: Partial<Plan> = {}): Plan {
  const bare = planOf(playbookOf('\n- step: start\n  tool: {kind: noop}'));
  return { ...bare, steps: steps.map(stepPlan), start: steps[0]!.name, ...more };
}
