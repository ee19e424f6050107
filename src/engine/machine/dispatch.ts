/** Handlers of inputs, timers and micro-steps: one entry for each; a missing one is a compile error. */
import { type Outcome } from '../../language/plan';
import { chunkSettled, endPart, iterateLoop, settle, startChunk } from './loop';
import { type Context, type Input, unbook } from './batch';
import {
  beginRun as beginExecution,
  beginAgain,
  checkKeychain,
  continueExecution,
  dropVariables,
  KEYCHAIN_RUN,
  keychainChecked,
  limitAnswered,
  limitAsked,
  pause,
  rerunFrom,
  resume,
  writeVariables,
  start,
} from './control';
import {
  childSettled,
  childStarted,
  childTimedOut,
  receiveEvent,
  slotsReserved,
  startTask,
  waitElapsed,
} from './calls';
import { admit, arrive, beginStepBody, cancelRun, endRun, frameEnded, stopRun } from './tokens';
import { type State, type QueuedWork } from './state';
import { pursue } from './rules';
import { keepSecrets, STEP_TIMEOUT } from './scope';

export const ACCEPT: {
  readonly [T in Input['type']]: (context: Context, input: Extract<Input, { type: T }>) => void;
} = {
  started: start,
  rerun: rerunFrom,
  continued: continueExecution,
  taskSettled: (context, { taskRunId, outcome }) => {
    const { state } = context;
    if (taskRunId === KEYCHAIN_RUN) return settleKeychain(context, outcome);
    const frame = unbook(state, taskRunId);
    if (frame === '') return limitAsked(context, outcome);
    if (frame !== undefined) context.enqueue({ op: 'settled', frame, outcome: keepSecrets(state, outcome) });
  },
  childStarted,
  childSettled,
  externalEvent: receiveEvent,
  messageIgnored: (context, { message, why: reason }) =>
    context.emit?.('external.dropped', message, 'skipped', { signal: true, reason }),
  limitAnswered: (context, { answer }) => {
    if (answer.type === 'slots') return slotsReserved(context, answer);
    const gate = limitAnswered(context, answer);
    if (gate && !checkKeychain(context, gate.rerun)) open(context, gate);
  },
  chunkStarted: (context) => context.enqueue({ op: 'iterate', run: context.state.part!.run, frame: null }),
  chunkSettled: (context, { ref, settled }) => context.enqueue({ op: 'chunkSettled', ref, settled }),
  // Only used to derive the chunk's events.
  chunkTold: () => undefined,
  // Belongs to a lease that is already over.
  leaseEnded: () => undefined,
  timerFired: (context, { key }) => timerFired(context, key),
  paused: (context, { reason }) => pause(context, reason ?? null),
  resumed: resume,
  cancelRequested: (context, { reason }) => cancelRun(context, reason ?? null),
  variablesSet: (context, { variables }) => writeVariables(context, variables),
  variablesDeleted: (context, { names }) => dropVariables(context, names),
};

/** The keychain was checked: whatever waited for it continues. */
function settleKeychain(context: Context, outcome: Outcome): void {
  const opened = keychainChecked(context, outcome);
  if (opened) open(context, opened);
}

function open(context: Context, { rerun: again }: NonNullable<State['gate']>): void {
  if (again) beginAgain(context, again.step, again.variables);
  else beginExecution(context);
}

type Purpose = State['timers'][string]['purpose'];

const ELAPSED: {
  readonly [T in Purpose['type']]: (context: Context, of: Extract<Purpose, { type: T }>) => void;
} = {
  retry: (context, { frame }) => context.enqueue({ op: 'task', frame }),
  timeout: (context, { run }) => stepTimedOut(context, run),
  child: (context, { child }) => childTimedOut(context, child),
  wait: (context, { wait }) => waitElapsed(context, wait),
  // The batch continues.
  yield: () => undefined,
};

function timerFired(context: Context, key: string): void {
  const { timers } = context.state;
  const timer = timers[key];
  if (!timer) return;
  delete timers[key];
  ELAPSED[timer.purpose.type](context, timer.purpose as never);
}

function stepTimedOut(context: Context, id: string): void {
  const { state } = context;
  const run = state.runs.get(id);
  if (!run) return;
  const step = context.step(run.step);
  const seconds = Math.round((state.now - run.startedAt) / 100) / 10;
  const message = `step ${step.name} did not end within its time limit (it ran ${seconds} s)`;
  stopRun(context, run, { kind: 'timeout', code: STEP_TIMEOUT, message, at: step.at });
}

/** Resolves the target of a micro-step; if its token, frame or run is gone, there is nothing to do. */
const PERFORM: {
  readonly [T in QueuedWork['op']]: (context: Context, work: Extract<QueuedWork, { op: T }>) => void;
} = {
  arrive: (context, { token }) => on(context.state.tokens.get(token), (one) => arrive(context, one)),
  admit: (context, { token }) => on(context.state.tokens.get(token), (one) => admit(context, one)),
  task: (context, { frame }) => on(context.state.frames.get(frame), (one) => startTask(context, one)),
  settled: (context, { frame, outcome }) =>
    on(context.state.frames.get(frame), (one) => settle(context, one, outcome)),
  agenda: (context, { frame, cause }) =>
    on(context.state.frames.get(frame), (one) => pursue(context, one, cause)),
  begin: (context, { frame }) => on(context.state.frames.get(frame), (one) => beginStepBody(context, one)),
  frameEnded: (context, { frame, cause }) =>
    on(context.state.frames.get(frame), (one) => frameEnded(context, one, cause)),
  iterate: (context, { run: id, frame }) => {
    const run = context.state.runs.get(id);
    const outer = frame === null ? null : context.state.frames.get(frame);
    if (run && outer !== undefined) iterateLoop(context, { run, outer });
  },
  chunk: (context, { chunk }) => startChunk(context, chunk),
  chunkSettled: (context, { ref, settled }) => chunkSettled(context, ref, settled),
  stop: (context, { run, cause }) => on(context.state.runs.get(run), (one) => stopRun(context, one, cause)),
  endRun: (context, { run, cause }) =>
    on(context.state.runs.get(run), (one) =>
      context.state.part ? endPart(context, cause) : endRun(context, one, cause),
    ),
};

function on<T>(value: T | undefined, act: (present: T) => void): void {
  if (value !== undefined) act(value);
}

export function perform(context: Context, item: QueuedWork): void {
  const { status } = context.state;
  // While the execution is being stopped, outcomes are still recorded but nothing follows from them.
  const isOver = status === 'failing' || status === 'cancelling';
  if (isOver && item.op !== 'settled' && item.op !== 'chunkSettled') return;
  PERFORM[item.op](context, item as never);
}
