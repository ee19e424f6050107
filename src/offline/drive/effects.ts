/** The driver's reaction to each command (workflows/), with a simulated clock. */
import {
  type Chunk,
  type ChunkResult,
  type ChunkSettled,
  type Command,
  type Input,
} from '../../engine/machine';
import {
  failedOutcomeOf,
  type Json,
  KEYCHAIN_KIND,
  LIMIT_KIND,
  limitCallOf,
  okOutcome,
  type Outcome,
  type TaskCall,
} from '../../language/plan';
import { type Happenings } from './happenings';
import { type Keepers } from './keepers';
import { type WorldAnswer, type Awaited, type Due, type WorldFailure, type World } from './world';

/** A call in flight. */
export interface Open {
  readonly call: TaskCall;
  readonly as: (outcome: Outcome) => Input;
}

/** What commands act upon. */
export interface DriveStage {
  readonly world: World;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly happenings: Happenings;
  /** Of limits by key. */
  readonly keepers: Keepers;
  /** Records a call for later inspection of the simulation. */
  notes(call: TaskCall): void;
  /** By task run id, or execution id of the sub-playbook. */
  readonly open: Map<string, Open>;
  /** Calls without an answer stay in flight; otherwise they stop the simulation. */
  readonly staysOpen: boolean;
  isStopped: boolean;
  end: 'complete' | 'fail' | 'cancelled' | 'stuck';
  result: Json | undefined;
  error: WorldFailure | undefined;
  /** The result of a chunk. */
  chunkResult: ChunkResult | undefined;
  due(awaited: Awaited): Due | undefined;
  runChunk(ref: string, chunk: Chunk): void;
  continueAsNew(): void;
}

/** Carries out a command of the machine. */
export function carryOutCommand(stage: DriveStage, command: Command): void {
  (EFFECTS[command.type] as (s: DriveStage, c: Command) => void)(stage, command);
}

const EFFECTS: {
  readonly [T in Command['type']]: (s: DriveStage, command: Extract<Command, { type: T }>) => void;
} = {
  runTask: (s, { call }) => {
    const id = call.task_run_id;
    const as = (outcome: Outcome): Input => ({
      type: 'taskSettled',
      taskRunId: id,
      outcome: call.stored ? withPlace(outcome, id) : outcome,
    });
    if (call.kind === KEYCHAIN_KIND) answered(s, keychain(s, call), as);
    else if (call.kind === LIMIT_KIND) asksKeeper(s, call, as);
    else begins(s, id, call, as);
  },
  cancelTask: (s, { taskRunId }) =>
    cancels(s, taskRunId, (input) => input.type === 'taskSettled' && input.taskRunId === taskRunId),
  runPlaybook: (s, { child, call, detached }) => {
    const ended = (outcome: Outcome): Input => ({ type: 'childSettled', child, outcome });
    if (!detached) return begins(s, child, call, ended);
    s.notes(call);
    const answer = s.world.answer(call, s.now);
    const started = answer?.started;
    answered(s, answer, started ? () => ({ type: 'childStarted', child, ...started }) : ended);
  },
  cancelPlaybook: (s, { child }) =>
    cancels(s, child, (input) => input.type === 'childSettled' && input.child === child),
  leaveLimit: () => undefined,
  // A simulated child is only an answer: there is nothing to pause.
  answerEvent: () => undefined,
  pausePlaybook: () => undefined,
  resumePlaybook: () => undefined,
  runChunk: (s, { ref, chunk }) => s.runChunk(ref, chunk),
  cancelChunk: (s, { ref }) =>
    void s.happenings.replace(
      (input) => input.type === 'chunkSettled' && input.ref === ref,
      (before) =>
        before.isCancelled
          ? before
          : { at: Math.min(before.at, s.now), input: { type: 'chunkSettled', ref, settled: LOST } },
    ),
  // Simulated chunks end as soon as they start.
  pauseChunk: () => undefined,
  resumeChunk: () => undefined,
  // The simulation has a single machine.
  startLease: () => undefined,
  cancelLease: () => undefined,
  leaseSpent: () => undefined,
  chunkEnded: (s, { result }) => {
    s.chunkResult = result;
    s.end = 'complete';
  },
  startTimer: (s, { key, deadline }) => {
    const due = s.due({ type: 'timer', key, deadline });
    // Set again after continue-as-new.
    s.happenings.cancel((input) => input.type === 'timerFired' && input.key === key);
    if (due) s.happenings.announce({ ...due, input: { type: 'timerFired', key } });
  },
  cancelTimer: (s, { key }) =>
    s.happenings.cancel((input) => input.type === 'timerFired' && input.key === key),
  continueAsNew: (s) => s.continueAsNew(),
  complete: (s, { result }) => {
    s.result = result;
    s.end = 'complete';
  },
  fail: (s, { error }) => {
    s.error = error;
    s.end = 'fail';
  },
  cancelled: (s) => {
    s.end = 'cancelled';
  },
};

/** The result of a task whose place a template reads is in a store, here in none. */
function withPlace(outcome: Outcome, id: string): Outcome {
  if (outcome.status !== 'ok' || outcome.meta['ref'] !== undefined) return outcome;
  return { ...outcome, meta: { ...outcome.meta, ref: { store: 'simulated', key: id, range: null } } };
}

/** A keeper answers at once, or when others have ended. */
function asksKeeper(s: DriveStage, call: TaskCall, as: (outcome: Outcome) => Input): void {
  const keeper = s.world.limit?.(call, s.now);
  answered(s, keeper ? keeper.delivered : { outcome: DELIVERED, after: 0 }, as);
  const { config } = call;
  for (const happening of keeper?.answers ?? s.keepers.ask(limitCallOf(config), s.now))
    s.happenings.announce(happening);
}

const DELIVERED = okOutcome(null);

/** The world answers a call of a tool or sub-playbook, now or later. */
function begins(s: DriveStage, id: string, call: TaskCall, as: (outcome: Outcome) => Input): void {
  s.notes(call);
  s.open.set(id, { call, as });
  answered(s, s.world.answer(call, s.now), as);
}

function answered(s: DriveStage, answer: WorldAnswer | undefined, as: (outcome: Outcome) => Input): void {
  if (answer) {
    const { outcome, after, mark } = answer;
    s.happenings.announce({ at: s.now + after, input: as(outcome), ...(mark && { mark }) });
  } else if (!s.staysOpen) s.isStopped = true;
}

function keychain({ world, now }: DriveStage, call: TaskCall): WorldAnswer | undefined {
  return world.keychain ? world.keychain(call, now) : { outcome: RESOLVED, after: 0 };
}

function cancels(s: DriveStage, id: string, is: (input: Input) => boolean): void {
  const open = s.open.get(id);
  if (!open) return;
  const { outcome, after, mark } = s.world.cancelled?.(open.call, s.now) ?? { outcome: CANCELLED, after: 0 };
  const end = { at: s.now + after, input: open.as(outcome), ...(mark && { mark }) };
  if (!s.happenings.replace(is, ({ at }) => (mark ? end : { ...end, at: Math.min(at, end.at) })))
    s.happenings.announce(end);
}

/** No secrets are looked up in a simulation. */
const RESOLVED = okOutcome({ nonce: 'simulated' });

const CANCELLATION = { kind: 'cancelled', code: 'CANCELLED', message: 'cancelled' } as const;

/** The outcome of a call that was cancelled. */
export const CANCELLED = failedOutcomeOf({ ...CANCELLATION, retryable: false });

const LOST: ChunkSettled = { status: 'lost', cause: CANCELLATION };
