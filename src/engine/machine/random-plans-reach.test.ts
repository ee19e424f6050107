/**
 * What random plans come to, and how many of them: properties that hold for plans without joins say nothing of joins.
 */
import fc from 'fast-check';
import { messages } from '../../../test/support/random-messages';
import { answer, plans } from '../../../test/support/random-plans';
import { drive, type Driven } from '../../../test/support/strict-driver';
import { EVENT_TYPES, type EngineEvent } from './batch/events';
import { type Input } from './batch/inputs';

const orders = fc.array(fc.nat({ max: 50 }), { maxLength: 80 });
const drains = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 3 });
/** A third of the runs is cancelled. */
const cancels = fc.option(fc.integer({ min: 1, max: 12 }), { freq: 2 });

function sample(size: number): readonly Driven[] {
  const drawn = fc.tuple(plans({ cycles: true, racy: true }), orders, messages, drains, cancels);
  return fc.sample(drawn, { numRuns: size, seed: 1 }).map(([plan, order, others, drainAt, at]) => {
    const cancel: Input = { type: 'cancelRequested', reason: 'enough' };
    const inject = at === null ? others : { ...others, [at]: [...(others[at] ?? []), cancel] };
    return drive(plan, { answer, order, inject, drainAt });
  });
}

const RUNS = sample(200);

const hasEvent =
  (type: EngineEvent['event_type'], test: (event: EngineEvent) => boolean = () => true) =>
  ({ events }: Driven): boolean =>
    events.some((event) => event.event_type === type && test(event));

/** `s3` has the number 3: an arc to a lower one, or to the step itself, leads back. */
const leadsBack = ({ entity_id, payload: { step } }: EngineEvent): boolean =>
  Number(String(step).slice(1)) <= Number(entity_id.slice(1));
/** `s0#1[0].s0t0~1@1[2].s0t0_0~1@1` is a task in an iteration of an iteration. */
const depth = ({ task_run_id = '' }: EngineEvent): number => task_run_id.split('[').length - 1;
const isKind =
  (kind: string) =>
  ({ payload }: EngineEvent): boolean =>
    payload['kind'] === kind;

const hasNote = (code: string) => hasEvent('step.note', ({ payload }) => payload['code'] === code);
const isAt =
  (name: string) =>
  ({ iteration, payload: { event, fired } }: EngineEvent): boolean =>
    iteration !== undefined && event === name && (fired as number[]).length > 0;
const chooses = ({ iteration, payload: { actions } }: EngineEvent): boolean =>
  iteration !== undefined && ((actions as string[] | undefined) ?? []).includes('next');
const heldBefore = ({ iteration, payload: { rules } }: EngineEvent): boolean =>
  iteration === undefined && JSON.stringify(rules).includes('it matched before');

/** Of a hundred runs, how many at least: two thirds of what it was, so that only a generator that lost something fails. */
const SHARES: readonly [what: string, atLeast: number, happened: (run: Driven) => boolean][] = [
  ['a fork', 15, hasEvent('next.enqueued', ({ payload }) => payload['fork'] !== null)],
  ['a join', 5, hasEvent('token.merged')],
  ['an arc back', 15, hasEvent('next.enqueued', leadsBack)],
  ['a parallel loop', 40, hasEvent('loop.started', ({ payload }) => payload['mode'] === 'parallel')],
  ['a loop in a loop', 9, hasEvent('task.started', (event) => depth(event) === 2)],
  ['a loop in a loop in a loop', 2, hasEvent('task.started', (event) => depth(event) === 3)],
  ['a failed task', 50, hasEvent('task.failed')],
  ['a failed step', 30, hasEvent('step.failed')],
  ['a failed execution', 25, ({ end }) => end === 'fail'],
  ['a complete execution', 20, ({ end }) => end === 'complete'],
  ['a task tried again', 12, hasEvent('task.retrying', ({ payload }) => payload['page'] === undefined)],
  ['a next page', 4, hasEvent('task.retrying', ({ payload }) => payload['page'] !== undefined)],
  ['a pause', 10, hasEvent('playbook.paused')],
  ['a cancel', 15, ({ end }) => end === 'cancelled'],
  ['a sub-playbook', 7, hasEvent('task.started', isKind('playbook'))],
  ['a wait', 15, hasEvent('task.started', isKind('wait'))],
  ['a sink', 9, hasEvent('sink.started')],
  ['a rule of an iteration', 3, hasEvent('case.evaluated', isAt('step.exit'))],
  ['a next in an iteration', 1, hasEvent('case.evaluated', chooses)],
  ['a loop that a rule ends', 2, hasNote('LOOP_ENDED_EARLY')],
  ['pages that are used up', 2, hasNote('PAGES_LEFT')],
  ['a page that is stored', 2, hasEvent('sink.started', ({ payload }) => payload['of'] === 'task')],
  ['a rule that held before', 2, hasEvent('case.evaluated', heldBefore)],
  ['a fresh history', 20, ({ continuations }) => continuations > 0],
];

it.each(SHARES)('%s is in %i of a hundred random runs at least', (_, atLeast, happened) => {
  expect((100 * RUNS.filter(happened).length) / RUNS.length).toBeGreaterThanOrEqual(atLeast);
});

/** Chunks, keychains and limits have tests of their own; a thousand events that nobody waits for are not drawn. */
const OUT_OF_REACH = [
  ...['external.dropped', 'keychain.resolved', 'keychain.failed'],
  ...['limit.queued', 'limit.acquired', 'limit.skipped', 'limit.refused'],
  ...['loop.chunk.started', 'loop.chunk.done', 'loop.chunk.failed'],
];
const KINDS = ['noop', 'event_log', 'python', 'postgres', 'iterator', 'wait', 'playbook'];
const DIRECTIVES = ['continue', 'jump', 'break', 'call', 'retry'];
const CODES = [
  ...['HTTP_503', 'RULE_FAIL', 'RETRY_EXHAUSTED', 'CTX_CONFLICT', 'STEP_TIMEOUT', 'WAIT_FIELDS'],
  ...['RUNAWAY_STEP', 'RUNAWAY_TASK'],
];

it('every event, kind, directive and failure that a run can come to is in one of them', () => {
  const reached = new Set(
    RUNS.flatMap(({ events }) =>
      events.flatMap(({ event_type, payload: { kind, directive, of, error } }) => [
        event_type,
        ...[kind, directive, of, (error as { code?: string } | undefined)?.code],
      ]),
    ),
  );
  const events = Object.keys(EVENT_TYPES).filter((type) => !OUT_OF_REACH.includes(type));
  const expected = [...events, ...KINDS, ...DIRECTIVES, ...CODES];
  expect(expected.filter((one) => !reached.has(one))).toEqual([]);
});
