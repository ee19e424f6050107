/** What `temporal workflow metadata` and the Temporal UI say of the messages that an execution takes. */
import { type SignalName, type UpdateName } from '../src/temporal/contract/messages';

/** Sent by workflows of the same execution: whoever sends one by hand breaks it, or is ignored. */
const INTERNAL = 'Internal: between workflows of one execution. Do not send it.';

export const SIGNAL_DESCRIPTIONS: Readonly<Record<SignalName, string>> = {
  pause: 'Start no new task; running ones finish. {reason?}',
  resume: 'Go on after a pause.',
  cancel: 'Cancel the execution and what it waits for. {reason?}',
  event:
    'An event that a task of kind `wait` waits for. {name, payload?, id?}; with an id, sending it twice is harmless',
  childStarted: INTERNAL,
  childSettled: INTERNAL,
  chunk: INTERNAL,
  taskSettled: INTERNAL,
  limit: INTERNAL,
};

export const UPDATE_DESCRIPTIONS: Readonly<Record<UpdateName, string>> = {
  sendEvent: 'As the signal `event`, validated, and answered with how many waits took it.',
  setVariables: 'Set variables: an object by name. Answered with the names.',
  deleteVariables: 'Delete variables: a list of names.',
};

export const QUERY_DESCRIPTIONS = {
  progress: 'What is in progress, and counts of what was done.',
  state: 'The whole state of the engine.',
  variables: 'The variables (`ctx`).',
  events: 'The latest events of this Temporal run, oldest first: 100, or as many as the argument says.',
  awaited: 'What the execution waits for from outside, with the forms that people answer.',
  hasReceived: 'Whether an external event with the id that the argument names has arrived.',
} as const;
