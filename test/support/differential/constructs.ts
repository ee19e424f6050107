/** What a run of an abstract playbook came to, construct by construct: a comparison of what never happens says nothing. */
import { type EngineEvent } from '../../../src/engine/machine';
import { type Driven } from '../strict-driver';
import { type AbstractPlaybook, type AbstractStep } from './abstract';

/** One run of the playbook as `case` writes it. */
export interface Ran {
  readonly drawn: AbstractPlaybook;
  readonly driven: Driven;
  /** The `at` of every row, with the step that stored it. */
  readonly stored: readonly { readonly step: AbstractStep; readonly at: string }[];
}

type Happened = (ran: Ran) => boolean;

const stepOf = ({ drawn }: Ran, { step_run_id = '' }: EngineEvent): AbstractStep | undefined =>
  drawn.steps[Number(/^s(\d+)#/.exec(step_run_id)?.[1])];

/** An event of that type, in a step that is one of these. */
const saw =
  (
    type: EngineEvent['event_type'],
    test: (event: EngineEvent) => boolean,
    inStep: (step: AbstractStep) => boolean = () => true,
  ): Happened =>
  (ran) =>
    ran.driven.events.some((event) => {
      const step = stepOf(ran, event);
      return event.event_type === type && step !== undefined && test(event) && inStep(step);
    });

interface Evaluated {
  readonly event: string;
  readonly fired: readonly number[];
  readonly actions: readonly string[];
  readonly rules: readonly { readonly when: string; readonly verdict: string }[];
}

const evaluated = (
  test: (payload: Evaluated, event: EngineEvent) => boolean,
  inStep?: (step: AbstractStep) => boolean,
): Happened =>
  saw(
    'case.evaluated',
    (event) => event.status === 'success' && test(event.payload as unknown as Evaluated, event),
    inStep,
  );

/** An action or move at an event whose name begins so; `within`: an iteration, or not. */
const does = (action: string, at: string, within?: boolean): Happened =>
  evaluated(
    ({ event, actions }, { iteration }) =>
      event.startsWith(at) &&
      actions.includes(action) &&
      (within ?? iteration !== undefined) === (iteration !== undefined),
  );

const repeats = (by: readonly string[]): Happened =>
  saw(
    'task.retrying',
    ({ payload }) => payload['page'] === undefined,
    ({ again }) => again !== undefined && by.includes(again.by),
  );

const usedUp = (by: string): Happened =>
  evaluated(
    ({ rules }) => rules.some(({ verdict }) => verdict.startsWith('retries exhausted')),
    ({ again }) => again?.by === by,
  );

const endsUsedUp = (directive: string, by: readonly string[]): Happened =>
  saw(
    'task.directive',
    ({ payload }) => payload['exhausted'] !== undefined && payload['directive'] === directive,
    ({ again }) => again !== undefined && by.includes(again.by),
  );

const turns = (by: string): Happened =>
  saw(
    'task.retrying',
    ({ payload: { page, when } }) => page !== undefined && String(when).includes('response.more'),
    ({ pages }) => pages?.by === by,
  );

const stores =
  (at: string, inStep: (step: AbstractStep) => boolean): Happened =>
  ({ stored }) =>
    stored.some((row) => row.at === at && inStep(row.step));

const isLoop = ({ loop }: AbstractStep): boolean => loop !== undefined;
const isPlain = ({ loop }: AbstractStep): boolean => loop === undefined;
const loops = (mode: string, inStep?: (step: AbstractStep) => boolean): Happened =>
  saw(
    'loop.iteration.started',
    () => true,
    (step) => isLoop(step) && step.loop!.parallel === (mode === 'parallel') && (inStep?.(step) ?? true),
  );

const gathers = (into: 'ctx' | 'iter', isResult: boolean): Happened =>
  evaluated(
    ({ actions }) => actions.includes('collect'),
    ({ collect }) => collect?.into === into && collect.isResult === isResult,
  );

const routed = (
  test: (steps: readonly string[]) => boolean,
  inStep: (step: AbstractStep) => boolean,
): Happened => saw('next.selected', ({ payload }) => test(payload['steps'] as string[]), inStep);

/** Every construct of rules, and whether the run came to it. */
export const CONSTRUCTS: Readonly<Record<string, Happened>> = {
  'retry by a policy': repeats(['map', 'policy', 'stop', 'strict']),
  'retry by a rule': repeats(['rule', 'poll']),
  'used up: the later rules are asked': (ran) => usedUp('rule')(ran) || usedUp('poll')(ran),
  'used up: the outcome stands': endsUsedUp('continue', ['stop']),
  'used up: the error stands': endsUsedUp('fail', ['map', 'policy', 'stop']),
  'used up: fails though it is ok': endsUsedUp('fail', ['strict']),
  'pages by a policy': turns('retry'),
  'pages by call': turns('call'),
  'pages by a retry with overrides': turns('bounded'),
  'pages left': ({ driven }) => driven.state.notes?.kept.some(({ code }) => code === 'PAGES_LEFT') === true,
  'collect into ctx': gathers('ctx', false),
  'collect into ctx as the result': gathers('ctx', true),
  'collect into iter': gathers('iter', false),
  'collect into iter as the result': gathers('iter', true),
  'sink of a page': stores('page', () => true),
  'sink of a call': (ran) => stores('picked', () => true)(ran) || stores('done', () => true)(ran),
  'sink of an error': stores('error', () => true),
  'sink of an iteration': stores('exit', isLoop),
  'sink at the end of the step': stores('exit', isPlain),
  'sink at the boundary of a loop': stores('over', isLoop),
  'sink of a failed step': stores('failed', () => true),
  'sink of the step, per iteration': stores('step', isLoop),
  'sink of the step': stores('step', isPlain),
  'sink that fails': saw('sink.processed', ({ status }) => status === 'error'),
  'set at step.enter': does('set', 'step.enter'),
  'set at the call': does('set', 'call.'),
  'set at the end': does('set', 'step.'),
  vars: ({ driven }) => Object.keys(driven.state.ctx).some((name) => name.startsWith('v_')),
  'result of a success': does('result', 'call.done'),
  'result of an error': does('result', 'call.error'),
  fail: does('fail', ''),
  skip: does('skip', ''),
  'next at step.enter': does('next', 'step.enter', false),
  'next of a call': does('next', 'call.done', false),
  'next of a call in an iteration': does('next', 'call.done', true),
  'next at the end of an iteration': does('next', 'step.exit', true),
  'next at the end of the step': evaluated(
    ({ event, actions }) => event === 'step.exit' && actions.includes('next'),
    isPlain,
  ),
  'next at the boundary of a loop': does('next', 'loop.done', false),
  'next of an error that ends the step': saw(
    'step.failed',
    ({ payload }) => payload['handled'] !== undefined,
  ),
  'next of an error in a loop that goes on': evaluated(
    ({ event, actions }, { iteration }) =>
      event === 'call.error' && iteration !== undefined && actions.includes('next'),
    ({ loop }) => loop?.bestEffort === true,
  ),
  'next of step.failed': does('next', 'step.failed', false),
  'choices of a loop unite': routed((steps) => steps.length > 1, isLoop),
  'choices of a step unite': routed((steps) => steps.length > 1, isPlain),
  'else at the call': evaluated(({ event, rules }) => event.startsWith('call.') && fires(rules)),
  'else at the end': evaluated(({ event, rules }) => !event.startsWith('call.') && fires(rules)),
  'inclusive: several rules act': evaluated(({ fired }) => fired.length > 1),
  'a rule that held is not asked again': evaluated(({ rules }) =>
    rules.some(({ verdict }) => verdict.includes('matched before')),
  ),
  'sequential loop': loops('sequential'),
  'parallel loop': loops('parallel'),
  'empty loop': saw('loop.started', ({ payload }) => payload['total'] === 0),
  'fail_fast loop that fails': saw(
    'loop.iteration.failed',
    () => true,
    ({ loop }) => loop?.bestEffort === false,
  ),
  'best_effort loop with failures': saw(
    'loop.iteration.failed',
    () => true,
    ({ loop }) => loop?.bestEffort === true,
  ),
  'a playbook that fails': ({ driven }) => driven.end === 'fail',
  'a playbook that completes': ({ driven }) => driven.end === 'complete',
};

function fires(rules: Evaluated['rules']): boolean {
  return rules.some(({ when, verdict }) => when === 'else' && verdict === 'fires');
}
