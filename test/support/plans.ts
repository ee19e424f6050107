/** Plans built by hand, for what the engine runs whatever a vocabulary calls it: one line a task. */
import {
  type Action,
  type Assignment,
  type Collect,
  type Json,
  type LoopPlan,
  type Overrides,
  type Plan,
  type RuleHappening,
  type Move,
  type Retry,
  type RulePlan,
  type RuleSet,
  type StepPlan,
  type TaskPlan,
  type PlanValue,
} from '../../src/language/plan';
import { collectsOf } from '../../src/language/dsl/compile/collects';
import { hasTemplateSyntax, parseExpression, parseTemplate } from '../../src/language/template';
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
  readonly do: 'continue' | 'retry' | 'jump' | 'break' | 'fail';
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
export interface CaseRuleSketch extends Pick<RulePlan, 'seesError' | 'readsFailure' | 'endLoop'> {
  readonly when?: string;
  /** As the compiler finds unless said otherwise. */
  readonly on?: readonly RuleHappening[];
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
export function value(json: Json): PlanValue {
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
function repeat(sketch: RepeatSketch): Omit<Retry, 'exhausted' | 'at'> {
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

type MoveSketch = Extract<ActionSketch, { do: 'call' | 'retry' | 'next' | 'fail' | 'skip' }>;

const isMove = (action: ActionSketch): action is MoveSketch =>
  ['call', 'retry', 'next', 'fail', 'skip'].includes(action.do);

function actionPlan(action: Exclude<ActionSketch, MoveSketch>): Action {
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
    default:
      return { ...action, at: AT };
  }
}

function movePlan(sketch: MoveSketch): Move {
  const more = <K extends string>(key: K, json: Json | undefined): Partial<Record<K, PlanValue>> =>
    json === undefined ? {} : ({ [key]: value(json) } as Partial<Record<K, PlanValue>>);
  switch (sketch.do) {
    case 'call': {
      const changes = overrides(sketch.overrides);
      return { do: 'retry', endless: true, overrides: changes, exhausted: 'fall_through', at: AT };
    }
    case 'retry':
      return { do: 'retry', ...repeat(sketch), exhausted: 'fall_through', at: AT };
    case 'next':
      return { do: 'next', arcs: sketch.arcs, at: AT };
    case 'fail':
      return { do: 'fail', ...more('message', sketch.message), at: AT };
    case 'skip':
      return { do: 'skip', ...more('reason', sketch.reason), at: AT };
  }
}

/** What a rule does: its actions, and the first of its moves; the arcs of all its `next`. */
function does(sketches: readonly ActionSketch[]): Pick<RulePlan, 'actions' | 'move'> {
  const moves = sketches.filter(isMove);
  const move = moves[0] && movePlan(moves[0]);
  const arcs = moves.flatMap((one) => (one.do === 'next' ? one.arcs : []));
  return {
    actions: sketches.flatMap((one) => (isMove(one) ? [] : [actionPlan(one)])),
    ...(move === undefined ? {} : { move: move.do === 'next' ? { ...move, arcs } : move }),
  };
}

const EXIT = /step\.exit|step\.done|step\.failed|loop\.done/;

/** As the compiler finds it from guards of the simple kind that sketches have. */
function happenings(rules: readonly CaseRuleSketch[], index: number, step: StepSketch): RuleHappening[] {
  const { when = '', actions, endLoop } = rules[index]!;
  const events: string[] = when.match(/(step|call|loop)\.\w+/g) ?? [];
  if (events.length > 0 && events.every((name) => name === 'step.enter')) return ['enter'];
  const enter: RuleHappening[] = events.includes('step.enter') ? ['enter'] : [];
  const stores = endLoop || actions.some((one) => one.do === 'sink' || one.do === 'collect');
  const end: RuleHappening[] =
    step.loop && stores ? ['iteration', ...(actions.some(isMove) ? (['end'] as const) : [])] : ['end'];
  const atEnd = events.length > 0 && events.every((name) => !name.startsWith('call.'));
  if (enter.length === 0 && atEnd) return when.includes('step.exit') ? end : ['end'];
  if (step.tasks.length === 0) return [...enter, ...end];
  if (events.length > 0 && events.every((name) => name.startsWith('call.'))) return ['call'];
  if (rules[index]!.when !== undefined) return [...enter, 'call', ...end];
  return rules.slice(0, index).some((one) => EXIT.test(one.when ?? '')) ? end : ['call'];
}

function caseRulePlan(rules: readonly CaseRuleSketch[], index: number, step: StepSketch): RulePlan {
  const { when, actions, on, ...flags } = rules[index]!;
  return {
    on: on ?? happenings(rules, index, step),
    ...(when === undefined ? {} : { when: parseExpression(when) }),
    ...flags,
    ...does(actions),
    at: AT,
  };
}

function policyPlan(policy: PolicySketch): RulePlan {
  const { when, retryWhen, stopWhen, overrides: pages } = policy;
  const guard = when ?? retryWhen;
  return {
    on: ['call'],
    ...(guard === undefined ? {} : { when: parseExpression(guard) }),
    ...(stopWhen === undefined ? {} : { unless: parseExpression(stopWhen) }),
    ...(guard === undefined && stopWhen === undefined ? { onError: true as const } : {}),
    actions: does(policy.actions ?? []).actions,
    move: {
      do: 'retry',
      ...repeat(policy),
      exhausted: retryWhen !== undefined && pages === undefined ? 'fail' : 'finish',
      at: AT,
    },
    at: AT,
  };
}

function storage(sinks: readonly string[] = []): RulePlan[] {
  if (sinks.length === 0) return [];
  return [{ on: ['store'], actions: sinks.map((task) => ({ do: 'sink', task, at: AT })), at: AT }];
}

function taskRules({ rules, retry, sinks }: TaskSketch): { rules?: RuleSet } {
  if (!rules && !retry && !sinks?.length) return {};
  return {
    rules: {
      of: retry ? 'retry' : 'policy',
      mode: 'first',
      otherwise: rules ? 'continue' : 'outcome',
      rules: [...(rules ?? []).map(rulePlan), ...(retry ?? []).map(policyPlan), ...storage(sinks)],
    },
  };
}

function stepRules(step: StepSketch): { rules?: RuleSet } {
  const { case: rules, sinks, allRules } = step;
  if (!rules && !sinks?.length) return {};
  const asked = (rules ?? []).map((_, index) => caseRulePlan(rules!, index, step));
  return {
    rules: {
      of: 'case',
      mode: allRules ? 'all' : 'first',
      otherwise: 'outcome',
      rules: [...asked, ...storage(sinks)],
    },
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

function rulePlan(rule: RuleSketch): RulePlan {
  const { when, attempts, delay, to, set } = rule;
  const knobs = {
    ...(attempts === undefined ? {} : { attempts: { const: attempts } }),
    ...(delay === undefined ? {} : { delay: { const: delay } }),
  };
  const move: Move =
    rule.do === 'retry'
      ? { do: 'retry', ...knobs, exhausted: 'fall_through', at: AT }
      : rule.do === 'jump'
        ? { do: 'jump', to: to!, at: AT }
        : { do: rule.do, at: AT };
  return {
    on: ['call'],
    ...(when === undefined ? {} : { when: parseExpression(when) }),
    actions: set === undefined ? [] : [{ do: 'set', set: assignments(set), at: AT }],
    move,
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
    ...(task.needsContext ? { needsContext: true as const } : {}),
    ...taskRules(task),
    ...(task.loop ? { loop: loopPlan(task.loop), body: (task.body ?? []).map(taskPlan) } : {}),
    set: assignments(task.set),
  };
}

export function stepPlan(step: StepSketch): StepPlan {
  const bare: StepPlan = {
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
    ...stepRules(step),
    ...(step.asides ? { sinks: step.asides.map(taskPlan) } : {}),
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
  return { ...bare, ...collectsOf(bare) };
}

/** A plan of these steps; the first is the entry. */
export function handPlan(steps: readonly StepSketch[], more: Partial<Plan> = {}): Plan {
  const bare = planOf(playbookOf('\n- step: start\n  tool: {kind: noop}'));
  return { ...bare, steps: steps.map(stepPlan), start: steps[0]!.name, ...more };
}
