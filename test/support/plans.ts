/** Plans built by hand, for what the engine runs whatever a vocabulary calls it: one line a task. */
import {
  type Action,
  type Assignment,
  type CaseRule,
  type Collect,
  type Directive,
  type Json,
  type LoopPlan,
  type Overrides,
  type Plan,
  type RetryPolicy,
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
  readonly delay?: number | string;
  readonly to?: string;
  readonly set?: Readonly<Record<string, Json>>;
}

/** Overrides of a repeated call: mappings with templates in them. */
export interface OverridesSketch {
  readonly config?: Json;
  readonly input?: Json;
}

export interface RepeatSketch {
  readonly attempts?: Json;
  readonly delay?: Json;
  readonly multiplier?: Json;
  readonly maxDelay?: Json;
  readonly backoff?: 'none' | 'linear' | 'exponential';
  readonly overrides?: OverridesSketch;
}

/** An action of `case` or of a policy of `retry`. */
export type ActionSketch =
  | { readonly do: 'set'; readonly set: Readonly<Record<string, Json>> }
  | {
      readonly do: 'collect';
      readonly from: Json;
      /** `ctx.all`, `iter.all`, `step.all` or a bare name. */
      readonly into: string;
      readonly mode: Collect['mode'];
      readonly isResult?: boolean;
    }
  | { readonly do: 'sink'; readonly task: string }
  | { readonly do: 'result'; readonly value: Json }
  | { readonly do: 'log'; readonly message: Json }
  | { readonly do: 'call'; readonly overrides: OverridesSketch }
  | ({ readonly do: 'retry' } & RepeatSketch)
  | { readonly do: 'next'; readonly arcs: readonly number[] }
  | { readonly do: 'fail'; readonly message?: Json }
  | { readonly do: 'skip'; readonly reason?: Json };

/** A rule of `case`; the compiler finds the flags in its guard and its place, here they are said. */
export interface CaseRuleSketch extends Pick<
  CaseRule,
  'onEnter' | 'seesError' | 'readsFailure' | 'waitsForEnd'
> {
  readonly when?: string;
  readonly actions: readonly ActionSketch[];
}

export interface PolicySketch extends RepeatSketch {
  readonly when?: string;
  readonly retryWhen?: string;
  readonly stopWhen?: string;
  readonly actions?: readonly ActionSketch[];
}

export interface TaskSketch {
  readonly name: string;
  readonly kind?: string;
  readonly input?: Json;
  readonly config?: Json;
  readonly options?: Json;
  readonly rules?: readonly RuleSketch[];
  readonly retry?: readonly PolicySketch[];
  /** Names of the step's asides. */
  readonly sinks?: readonly string[];
  readonly when?: string;
  readonly timeout?: Json;
  readonly needsContext?: boolean;
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
  readonly case?: readonly CaseRuleSketch[];
  /** All matching rules of `case` act, not just the first. */
  readonly allRules?: boolean;
  readonly asides?: readonly TaskSketch[];
  readonly sinks?: readonly string[];
  readonly next?: readonly ArcSketch[];
  readonly inclusive?: boolean;
}

export interface ArcSketch {
  readonly step: string | null;
  readonly when?: string;
  readonly handlesFailure?: boolean;
  readonly seesError?: boolean;
  readonly hidesResponse?: boolean;
  /** The rule of `case` whose action `next` names the arc. */
  readonly rule?: number;
  readonly args?: Json;
  readonly set?: Readonly<Record<string, Json>>;
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
  return Object.entries(set).map(([name, json]) => ({ ...target(name), value: value(json), at: AT }));
}

function target(name: string): Collect['into'] {
  const path = name.split('.');
  const scope = ['ctx', 'iter', 'step'].includes(path[0]!) ? (path[0] as 'ctx') : 'local';
  return { scope, path: scope === 'local' ? path : path.slice(1) };
}

function overrides({ config, input }: OverridesSketch): Overrides {
  return {
    ...(config === undefined ? {} : { config: value(config) }),
    ...(input === undefined ? {} : { input: value(input) }),
  };
}

/** The fields of a repetition that are written. */
function repeat(sketch: RepeatSketch): Omit<RetryPolicy, 'actions' | 'at'> {
  const { backoff, overrides: changed } = sketch;
  const numbers = (['attempts', 'delay', 'multiplier', 'maxDelay'] as const).flatMap((name) =>
    sketch[name] === undefined ? [] : [[name, value(sketch[name])] as const],
  );
  return {
    ...Object.fromEntries(numbers),
    ...(backoff ? { backoff } : {}),
    ...(changed ? { overrides: overrides(changed) } : {}),
  };
}

function guards<Name extends string>(
  sketch: Readonly<Partial<Record<Name, string>>>,
  names: readonly Name[],
): Partial<Record<Name, ReturnType<typeof parseExpression>>> {
  const written = names.flatMap((name) =>
    sketch[name] === undefined ? [] : [[name, parseExpression(sketch[name])] as const],
  );
  return Object.fromEntries(written) as never;
}

function actionPlan(action: ActionSketch): Action {
  switch (action.do) {
    case 'set':
      return { do: 'set', set: assignments(action.set), at: AT };
    case 'collect':
      return {
        do: 'collect',
        from: value(action.from),
        into: target(action.into),
        mode: action.mode,
        ...(action.isResult ? { isResult: true as const } : {}),
        at: AT,
      };
    case 'result':
      return { do: 'result', value: value(action.value), at: AT };
    case 'log':
      return { do: 'log', message: value(action.message), at: AT };
    case 'call':
      return { do: 'call', overrides: overrides(action.overrides), at: AT };
    case 'retry':
      return { do: 'retry', ...repeat(action), at: AT };
    case 'fail':
      return {
        do: 'fail',
        ...(action.message === undefined ? {} : { message: value(action.message) }),
        at: AT,
      };
    case 'skip':
      return { do: 'skip', ...(action.reason === undefined ? {} : { reason: value(action.reason) }), at: AT };
    default:
      return { ...action, at: AT };
  }
}

function caseRulePlan({ when, actions, ...flags }: CaseRuleSketch): CaseRule {
  return {
    ...(when === undefined ? {} : { when: parseExpression(when) }),
    ...flags,
    actions: actions.map(actionPlan),
    at: AT,
  };
}

function policyPlan(policy: PolicySketch): RetryPolicy {
  return {
    ...guards(policy, ['when', 'retryWhen', 'stopWhen']),
    ...repeat(policy),
    actions: (policy.actions ?? []).map(actionPlan),
    at: AT,
  };
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
    spec: {
      delivery: 'at_least_once',
      options: value(task.options ?? {}),
      ...(task.timeout === undefined ? {} : { timeout: { total: value(task.timeout) } }),
    },
    ...guards(task, ['when']),
    ...(task.retry ? { retry: task.retry.map(policyPlan) } : {}),
    ...(task.sinks ? { sinks: task.sinks } : {}),
    ...(task.needsContext ? { needsContext: true as const } : {}),
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
    ...(step.case
      ? {
          case: {
            mode: step.allRules ? ('all' as const) : ('first' as const),
            rules: step.case.map(caseRulePlan),
          },
        }
      : {}),
    ...(step.asides ? { asides: step.asides.map(taskPlan) } : {}),
    ...(step.sinks ? { sinks: step.sinks } : {}),
    ...(step.next
      ? {
          router: {
            mode: step.inclusive ? ('inclusive' as const) : ('exclusive' as const),
            arcs: step.next.map((arc) => ({
              step: arc.step,
              ...(arc.when === undefined ? {} : { when: parseExpression(arc.when) }),
              ...(arc.args === undefined ? {} : { args: value(arc.args) }),
              set: assignments(arc.set),
              handlesFailure: arc.handlesFailure ?? false,
              ...(arc.seesError ? { seesError: true as const } : {}),
              ...(arc.hidesResponse ? { hidesResponse: true as const } : {}),
              ...(arc.rule === undefined ? {} : { rule: arc.rule }),
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
