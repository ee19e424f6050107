/** Converts signals and updates to engine inputs, in the same way as workflows/handlers.ts. */
import { type Input } from '../engine';
import { type JsonObject, type LimitAnswer, unpackOutcome, type WireOutcome } from '../plan';
import { eventInput, whyNoEvent } from '../../workflows/sent-event';
import { type ChunkReport, type SentEvent } from '../../workflows/contract';
import { chunkInput } from '../../workflows/chunk-report';

type SteerRequest = { reason?: string } | undefined;

/** The input for a signal with this argument; undefined for one that is ignored. */
const SIGNALS: Readonly<Record<string, (argument: never) => Input | undefined>> = {
  pause: (request: SteerRequest) => ({ type: 'paused', reason: request?.reason }),
  resume: () => ({ type: 'resumed' }),
  cancel: (request: SteerRequest) => ({ type: 'cancelRequested', reason: request?.reason }),
  event: (sent: SentEvent) => (whyNoEvent(sent) === undefined ? eventInput(sent) : undefined),
  childStarted: (about: { child: string; version?: string; digest: string }) => ({
    type: 'childStarted',
    ...about,
  }),
  limit: (answer: LimitAnswer) => ({ type: 'limitAnswered', answer }),
  chunk: (report: ChunkReport) => chunkInput(report),
  childSettled: ({ child, outcome }: { child: string; outcome: WireOutcome }) => ({
    type: 'childSettled',
    child,
    outcome: unpackOutcome(outcome),
  }),
};

/** The input for an update with this argument and id. */
const UPDATES: Readonly<Record<string, (argument: never, id: string) => Input>> = {
  setVariables: (variables: JsonObject) => ({ type: 'variablesSet', variables }),
  deleteVariables: (names: string[]) => ({ type: 'variablesDeleted', names }),
  sendEvent: (sent: SentEvent, id) => ({ ...eventInput(sent), id: sent.id ?? id }),
};

/** Undefined for a signal that the workflow ignores. */
export function signalInput(name: string, argument: unknown): Input | undefined {
  return Object.hasOwn(SIGNALS, name) ? SIGNALS[name]!(argument as never) : undefined;
}

/** Undefined for an update that the workflow does not know. */
export function updateInput(name: string, argument: unknown, id: string): Input | undefined {
  return Object.hasOwn(UPDATES, name) ? UPDATES[name]!(argument as never, id) : undefined;
}
