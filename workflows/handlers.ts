/** Signals, updates, queries and the cancellation of a run. */
import { CancellationScope, currentUpdateInfo, defineSignal, setHandler } from '@temporalio/workflow';
import { type Machine } from '../src/engine/machine';
import {
  awaitedQuery,
  deleteVariablesUpdate,
  eventsQuery,
  hasReceivedQuery,
  progressQuery,
  sendEventUpdate,
  setVariablesUpdate,
  stateQuery,
  variablesQuery,
} from '../src/temporal/contract/definitions';
import { QUERY_DESCRIPTIONS, SIGNAL_DESCRIPTIONS, UPDATE_DESCRIPTIONS } from './descriptions';
import {
  signalInput,
  type SignalName,
  SIGNALS,
  UPDATES,
  type UpdateName,
} from '../src/temporal/contract/messages';
import { type InputQueue } from './queue';
import { type RecentEvents } from './recent-events';

const DEFAULT_EVENTS = 100;

const described = {
  events: { description: QUERY_DESCRIPTIONS.events },
  progress: { description: QUERY_DESCRIPTIONS.progress },
  state: { description: QUERY_DESCRIPTIONS.state },
  awaited: { description: QUERY_DESCRIPTIONS.awaited },
  hasReceived: { description: QUERY_DESCRIPTIONS.hasReceived },
  variables: { description: QUERY_DESCRIPTIONS.variables },
} as const;

const SIGNAL_DEFINITIONS = (Object.keys(SIGNALS) as SignalName[]).map((name) =>
  defineSignal<unknown[]>(name),
);

export function answerEventsQuery(recent: RecentEvents): void {
  setHandler(eventsQuery, (count = DEFAULT_EVENTS) => recent.last(count), described.events);
}

export function answerQueries(machine: Machine): void {
  setHandler(progressQuery, () => machine.progress(), described.progress);
  setHandler(stateQuery, () => machine.state, described.state);
  setHandler(variablesQuery, () => machine.variables(), described.variables);
  setHandler(awaitedQuery, () => machine.awaited(), described.awaited);
  const { hasReceived } = described;
  setHandler(hasReceivedQuery, (id) => machine.live.seenEvents.includes(id), hasReceived);
}

/** Call this in the workflow's root scope, which is the one that a cancellation reaches. */
export function listenToMessages(queue: InputQueue): void {
  CancellationScope.current().cancelRequested.catch(() => queue.cancel());
  for (const signal of SIGNAL_DEFINITIONS) {
    const push = (...args: readonly unknown[]): void => queue.pushExternal(signalInput(signal.name, args)!);
    setHandler(signal, push, { description: SIGNAL_DESCRIPTIONS[signal.name as SignalName] });
  }
  setHandler(
    sendEventUpdate,
    (...args: readonly unknown[]) => {
      const { id } = currentUpdateInfo()!;
      return queue.askExternal(UPDATES.sendEvent.input(args, id));
    },
    { validator: validatorOf('sendEvent'), description: UPDATE_DESCRIPTIONS.sendEvent },
  );
  setHandler(
    setVariablesUpdate,
    (variables) => {
      queue.pushExternal(UPDATES.setVariables.input([variables]));
      return { set: Object.keys(variables) };
    },
    { validator: validatorOf('setVariables'), description: UPDATE_DESCRIPTIONS.setVariables },
  );
  setHandler(
    deleteVariablesUpdate,
    (names) => {
      queue.pushExternal(UPDATES.deleteVariables.input([names]));
      return { deleted: names };
    },
    { validator: validatorOf('deleteVariables'), description: UPDATE_DESCRIPTIONS.deleteVariables },
  );
}

function validatorOf(name: UpdateName): (...args: readonly unknown[]) => void {
  return (...args) => {
    const why = UPDATES[name].why(args);
    if (why !== undefined) throw new TypeError(why);
  };
}
