/** Signals, updates, queries and the cancellation of a run. */
import { CancellationScope, currentUpdateInfo, setHandler } from '@temporalio/workflow';
import { type Machine } from '../src/engine';
import { isMapping, unpackOutcome } from '../src/plan';
import {
  cancelSignal,
  chunkSignal,
  childSettledSignal,
  childStartedSignal,
  deleteVariablesUpdate,
  eventSignal,
  eventsQuery,
  limitSignal,
  pauseSignal,
  progressQuery,
  resumeSignal,
  sendEventUpdate,
  setVariablesUpdate,
  stateQuery,
  taskSettledSignal,
  variablesQuery,
} from './contract';
import { chunkInput } from './chunk-report';
import { outcomeOfResult } from './outcomes';
import { eventInput, whyNoEvent } from './sent-event';
import { type InputQueue } from './queue';
import { type RecentEvents } from './recent-events';

const DEFAULT_EVENTS = 100;

export function answerEventsQuery(recent: RecentEvents): void {
  setHandler(eventsQuery, (count = DEFAULT_EVENTS) => recent.last(count));
}

export function answerQueries(machine: Machine): void {
  setHandler(progressQuery, () => machine.progress());
  setHandler(stateQuery, () => machine.state);
  setHandler(variablesQuery, () => machine.variables());
}

/** Call this in the workflow's root scope, which is the one that a cancellation reaches. */
export function listen(queue: InputQueue): void {
  CancellationScope.current().cancelRequested.catch(() => queue.cancel());
  setHandler(pauseSignal, (why) => queue.pushExternal({ type: 'paused', reason: why?.reason }));
  setHandler(resumeSignal, () => queue.pushExternal({ type: 'resumed' }));
  setHandler(cancelSignal, (why) => queue.pushExternal({ type: 'cancelRequested', reason: why?.reason }));
  setHandler(childStartedSignal, (about) => queue.pushExternal({ type: 'childStarted', ...about }));
  setHandler(childSettledSignal, ({ child, outcome }) =>
    queue.pushExternal({ type: 'childSettled', child, outcome: unpackOutcome(outcome) }),
  );
  setHandler(taskSettledSignal, (taskRunId, outcome) =>
    queue.pushExternal({ type: 'taskSettled', taskRunId, outcome: outcomeOfResult(outcome) }),
  );
  setHandler(limitSignal, (answer) => queue.pushExternal({ type: 'limitAnswered', answer }));
  setHandler(chunkSignal, (report) => queue.pushExternal(chunkInput(report)));
  setHandler(eventSignal, (sent) => {
    // A signal cannot be rejected: an invalid event is ignored, as in src/history.
    if (whyNoEvent(sent) === undefined) queue.pushExternal(eventInput(sent));
  });
  setHandler(
    sendEventUpdate,
    (sent) => {
      const id = sent.id ?? currentUpdateInfo()!.id;
      return queue.askExternal({ ...eventInput(sent), id });
    },
    {
      validator(sent) {
        const why = whyNoEvent(sent);
        if (why !== undefined) throw new TypeError(why);
      },
    },
  );
  setHandler(
    setVariablesUpdate,
    (variables) => {
      queue.pushExternal({ type: 'variablesSet', variables });
      return { set: Object.keys(variables) };
    },
    {
      validator(variables) {
        if (!isMapping(variables)) throw new TypeError('setVariables takes one mapping of names to values');
        const wrong = Object.keys(variables).find((name) => !/^[A-Za-z_]\w*$/.test(name));
        if (wrong !== undefined) throw new TypeError(`${JSON.stringify(wrong)} is not a variable name`);
      },
    },
  );
  setHandler(
    deleteVariablesUpdate,
    (names) => {
      queue.pushExternal({ type: 'variablesDeleted', names });
      return { deleted: names };
    },
    {
      validator(names) {
        if (!Array.isArray(names) || names.some((name) => typeof name !== 'string')) {
          throw new TypeError('deleteVariables takes one list of names');
        }
      },
    },
  );
}
