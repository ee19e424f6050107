/** Signals, updates and queries of a run. */
import { setHandler } from '@temporalio/workflow';
import { type Machine } from '../src/engine';
import { isMapping } from '../src/plan';
import {
  cancelSignal,
  deleteVariablesUpdate,
  pauseSignal,
  progressQuery,
  resumeSignal,
  setVariablesUpdate,
  stateQuery,
  variablesQuery,
} from './contract';
import { type InputQueue } from './queue';

export function answerQueries(machine: Machine): void {
  setHandler(progressQuery, () => machine.progress());
  setHandler(stateQuery, () => machine.state);
  setHandler(variablesQuery, () => machine.variables());
}

export function listen(queue: InputQueue): void {
  setHandler(pauseSignal, (asked) => queue.pushExternal({ type: 'paused', reason: asked?.reason }));
  setHandler(resumeSignal, () => queue.pushExternal({ type: 'resumed' }));
  setHandler(cancelSignal, (asked) => queue.pushExternal({ type: 'cancelRequested', reason: asked?.reason }));
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
