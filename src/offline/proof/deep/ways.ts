/** The possible next events of a state. */
import { type Input, type State } from '../../../engine/machine';
import {
  compact,
  declarationOf,
  everyTask,
  failedOutcomeOf,
  okOutcome,
  type Outcome,
  type Plan,
  taskPlaceIn,
} from '../../../language/plan';
import { unknown } from './unknown';

/** One possible outcome of something that a run waits for. */
export interface ExploredWay {
  /** In words: `fetch/get fails`. */
  readonly label: string;
  readonly type: 'ok' | 'error' | 'timer' | 'event';
  readonly input: Input;
  /** The root of the symbolic values that it introduces. */
  readonly brings?: string;
}

/** Something a run waits for. */
export interface Awaiting {
  readonly step: string;
  /** The run of the step. */
  readonly run: string;
  readonly ways: readonly ExploredWay[];
  /** Sort key by branch and iteration: each is explored to its end before the next. */
  readonly branch: string;
  /** A wait for an event without a time limit: the name of the event. */
  readonly event?: string;
}

/** `fetch/get[2]`: the task of a task run, whichever run of its step it is. */
export function taskNamed(taskRun: string): string {
  const { step, task } = taskPlaceIn(taskRun);
  return `${step}/${task}${(taskRun.match(/\[\d+\]/g) ?? []).join('')}`;
}

/** What the state waits for, in the order of its tables. */
export function awaitingIn(state: State, kinds: ReadonlyMap<string, string>): Awaiting[] {
  const awaiting: Awaiting[] = [];
  const add = (taskRun: string, ways: readonly ExploredWay[], event?: string): void => {
    const run = taskRun.slice(0, taskRun.search(/[[.~]/));
    const step = run.slice(0, run.indexOf('#'));
    const forks = state.tokens[state.runs[run]?.token ?? '']?.forks ?? [];
    awaiting.push({
      step,
      run,
      ways: [...ways, ...limitOf(state, run)],
      branch: `${forks.map(({ branch }) => branch).join('.')} ${taskRun}`,
      ...compact({ event }),
    });
  };
  for (const id of [...Object.keys(state.pending), ...Object.keys(state.longTasks)])
    add(
      id,
      outcomes(id, kinds, (outcome) => ({ type: 'taskSettled', taskRunId: id, outcome })),
    );
  for (const [child, { taskRunId, detached }] of Object.entries(state.children))
    add(
      taskRunId,
      outcomes(taskRunId, kinds, (outcome) =>
        detached && outcome.status === 'ok'
          ? { type: 'childStarted', child, digest: '' }
          : { type: 'childSettled', child, outcome },
      ),
    );
  for (const [id, { event, until }] of Object.entries(state.waits)) {
    const elapsed = timer(
      `wait:${id}`,
      event === null ? `${taskNamed(id)} has slept` : `no event '${event}' comes in time`,
    );
    if (event === null) add(id, [elapsed]);
    else add(id, [eventFor(event), ...(until === null ? [] : [elapsed])], until === null ? event : undefined);
  }
  return awaiting;
}

function eventFor(name: string): ExploredWay {
  const brings = `event ${name}`;
  const input = {
    type: 'externalEvent',
    name,
    payload: unknown({ of: brings }),
    answer: { any: true },
  } as const;
  return { label: `event '${name}' comes`, type: 'event', input, brings };
}

function timer(key: string, label: string): ExploredWay {
  return { label, type: 'timer', input: { type: 'timerFired', key } };
}

function limitOf({ timers }: State, run: string): ExploredWay[] {
  const key = `timeout:${run}`;
  return Object.hasOwn(timers, key) ? [timer(key, `the time of ${run} is over`)] : [];
}

/** Success with any result, and failure with any error. */
function outcomes(
  taskRun: string,
  kinds: ReadonlyMap<string, string>,
  as: (outcome: Outcome) => Input,
): ExploredWay[] {
  const name = taskNamed(taskRun);
  // Represents a value of whichever type is required.
  const any = (part: string): never => unknown({ of: `${name}${part}` }) as never;
  const kindName = kinds.get(name.replace(/\[.*$/, '')) ?? '';
  const kind = declarationOf(kindName);
  const envelope = kind?.respondsOverHttp
    ? { http: { status: any('!status'), headers: any('!headers') } }
    : {};
  // A response that is an error has a body as well.
  const response = kind?.respondsOverHttp
    ? { result: { status_code: any('!status'), headers: any('!headers'), data: any('!body') } }
    : {};
  const status = WITHOUT_STATUS.has(kindName) ? undefined : any('!status');
  const failure = {
    kind: any('!kind'),
    code: any('!code'),
    message: any('!message'),
    ...compact({ status, status_code: status }),
    retryable: any('!retryable'),
  };
  const pg = { code: any('!sqlstate'), sqlstate: any('!sqlstate') };
  const py = { exception_type: any('!exception') };
  const answer = { ...okOutcome(any('')), ...envelope };
  const error = { ...failedOutcomeOf(failure), pg, py, ...envelope, ...response };
  return [
    { label: `${name} answers`, type: 'ok', input: as(answer), brings: name },
    { label: `${name} fails`, type: 'error', input: as(error), brings: name },
  ];
}

/** Kinds whose failures have no status of HTTP. */
const WITHOUT_STATUS: ReadonlySet<string> = new Set(['python', 'shell', 'postgres', 'duckdb']);

/** The kind of every task, by `step/task`. */
export function kindsIn(plan: Plan): ReadonlyMap<string, string> {
  return new Map(
    plan.steps.flatMap((step) => everyTask(step).map((task) => [`${step.name}/${task.name}`, task.kind])),
  );
}
