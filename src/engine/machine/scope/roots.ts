/** The values of the reserved roots: one entry per name. The plan's table ROOTS_AT says where each is in scope. */
import { type JsonObject, secretHandle } from '../../../language/plan';
import { type Context } from '../batch';
import { IterView } from './iter';
import { type EnginePlace } from './place';
import { VariablesView } from './variables';
import { ErrorText, loopView, OutcomeView, PayloadView, resultView, TaskView } from './views';

type Root = (place: EnginePlace, context: Context) => unknown;

const variables: Root = ({ frame }, context) => new VariablesView(context, frame);
const outcome: Root = ({ outcome: task }) => task && new OutcomeView(task);
const loopOf = ({ own }: EnginePlace): unknown => own && loopView(own);

/** `result` and `data`: the payload of the call, or the loop's result, unless a rule gave the step another one. */
const result: Root = (place) => {
  const given = place.own && place.frame?.passage?.result;
  if (given) return new PayloadView(given);
  return loopOf(place) ?? (place.outcome ? new PayloadView(place.outcome) : null);
};

/** Rules see only selected facts about the call; elsewhere its outcome is available. */
const isRule = ({ call }: EnginePlace): boolean => call !== undefined && !call.writing;

const ROOTS: Readonly<Record<string, Root>> = {
  workload: (_, { state }) => state.workload,
  ctx: variables,
  vars: variables,
  keychain: (_, { state: { keychain = {} } }) =>
    Object.fromEntries(Object.entries(keychain).map(([name, id]) => [name, secretHandle(id)])),
  execution_id: (_, { state }) => state.executionId,
  job({ frame }, context) {
    const { uuid, executionId: execution_id } = context.state;
    const job: JsonObject = { uuid, id: uuid, execution_id };
    if (frame && context.taskOf(frame)) job.idempotency_key = `${execution_id}/${context.workOf(frame)}`;
    return job;
  },
  args: inputsAt,
  input: inputsAt,
  iter: ({ frame, own }, context) =>
    frame ? new IterView(context, frame) : own?.type === 'tasks' ? own.iter : undefined,
  loop({ frame }, context) {
    const loop = frame && context.loopOf(frame)?.loop;
    if (!loop) return undefined;
    const { index } = frame;
    const { total: length, done } = loop;
    return { index, index0: index, first: index === 0, last: index === length - 1, length, done };
  },
  loop_index: ({ frame }) => frame?.index ?? undefined,
  step: ({ run }) => run?.vars,
  token({ token }, { state: { executionId } }) {
    if (!token) return undefined;
    const { id, step, args, parent } = token;
    const about = { execution_id: executionId, trace_id: executionId, parent_step_run_id: parent };
    return { id, step, args, parent, ...about };
  },
  event: ({ event }) => event,
  _prev({ frame }) {
    if (!frame || frame.last === null) return undefined;
    return resultView(frame.previous ?? frame.results[frame.last]!);
  },
  _task: ({ frame }, context) => frame && context.taskOf(frame)?.name,
  _attempt: ({ frame }) => frame?.attempt,
  output: ({ outcome: task, asData }) => task && new OutcomeView(task, asData),
  outcome,
  this: (place, context) => (place.call?.acting ? loopOf(place) : undefined) ?? outcome(place, context),
  response(place) {
    if (place.hidesResponse) return undefined;
    const none = isRule(place) ? null : undefined;
    const { outcome: task } = place;
    return loopOf(place) ?? (task ? new TaskView(task.call ?? task) : none);
  },
  error(place) {
    const { call, error, outcome: task } = place;
    if (error && call?.retry) return new ErrorText(error);
    return error ?? (isRule(place) ? undefined : (task?.outcome.error ?? undefined));
  },
  result,
  data: result,
  page: ({ outcome: task }) => task && new PayloadView(task),
  _retry: ({ call }) => call && { index: call.index, count: call.count },
  attempt: ({ call }) => call!.retry!.attempt,
  max_attempts: ({ call }) => call!.retry!.maxAttempts(),
  status_code: ({ outcome: task }) => task!.outcome.http?.status ?? new TaskView(task!).get('status_code'),
  success: ({ outcome: task }) => task!.outcome.status === 'ok',
};

/** The value of the root with this name, at a place where it is in scope. */
export function rootAt(context: Context, place: EnginePlace, name: string): unknown {
  return ROOTS[name]!(place, context);
}

/** The arguments visible at the place. */
export function inputsAt({ input, frame, run, token }: EnginePlace): JsonObject {
  return input ?? frame?.args ?? run?.inputs ?? run?.args ?? token?.args ?? {};
}
