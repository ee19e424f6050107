/** A run at one moment: what its events say up to there. Parts are replaced, never changed, so that moments share them. */
import { type EngineEvent } from '../engine/machine';

/** How a step or a task stands. */
export type StepState = 'waiting' | 'queued' | 'running' | 'asleep' | 'done' | 'failed' | 'skipped';

export interface StepStand {
  readonly look: StepState;
  /** How often it has started; how many of these are under way. */
  readonly runs: number;
  readonly open: number;
  /** Of its loop, the one that began last. */
  readonly loop?: LoopStand;
  /** Tasks under way, and those of them that only wait. */
  readonly tasks: number;
  readonly waits: number;
  /** Executions of sub-playbooks that it called: the first of them, and how many. */
  readonly children: readonly MomentChild[];
  readonly called: number;
}

export interface MomentChild {
  readonly execution: string;
  readonly path: string;
}

/** What waits for somebody outside. */
export interface OpenWait {
  readonly taskRun: string;
  readonly step: string;
  /** The name of the event; absent of a sleep. */
  readonly event?: string;
  /** ISO 8601; absent without a limit. */
  readonly until?: string;
}

export interface LoopStand {
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly running: number;
}

export interface Moment {
  readonly status: string;
  /** A limit ended the run before its first step. */
  readonly skipped: boolean;
  readonly workload: unknown;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly steps: ReadonlyMap<string, StepStand>;
  /** Token → the step that it is at. */
  readonly tokens: ReadonlyMap<string, string>;
  /** Step → how often each arc of its router fired. */
  readonly fired: ReadonlyMap<string, readonly number[]>;
  /** Step runs under way → when they began, in milliseconds since the epoch. */
  readonly runs: ReadonlyMap<string, number>;
  /** By task run. */
  readonly waits: ReadonlyMap<string, OpenWait>;
  readonly result?: unknown;
  readonly error?: unknown;
}

export const BEFORE: Moment = {
  status: 'RUNNING',
  skipped: false,
  workload: {},
  variables: {},
  steps: new Map(),
  tokens: new Map(),
  fired: new Map(),
  runs: new Map(),
  waits: new Map(),
};

const NEW: StepStand = { look: 'waiting', runs: 0, open: 0, tasks: 0, waits: 0, children: [], called: 0 };
/** Of a step that calls many. */
const CHILDREN = 100;

const ENDS: Readonly<Record<string, StepState>> = {
  'step.done': 'done',
  'step.failed': 'failed',
  'step.skipped': 'skipped',
};

const BOUNDS: ReadonlySet<string> = new Set(['task.started', 'task.done', 'task.failed']);

/** What of an event a moment follows from: of the engine, or canonical. */
type MovingEvent = Omit<EngineEvent, 'event_type'> & { readonly event_type: string };

/** A moment that events are put into, one after the other. */
export class Moving {
  private status: string;
  private skipped: boolean;
  private workload: unknown;
  variables: Record<string, unknown>;
  private readonly steps: Map<string, StepStand>;
  private readonly tokens: Map<string, string>;
  private readonly fired: Map<string, readonly number[]>;
  private readonly runs: Map<string, number>;
  private readonly waits: Map<string, OpenWait>;
  private result: unknown;
  private error: unknown;

  constructor(from: Moment = BEFORE) {
    ({ status: this.status, workload: this.workload, result: this.result, error: this.error } = from);
    this.skipped = from.skipped;
    this.variables = { ...from.variables };
    this.steps = new Map(from.steps);
    this.tokens = new Map(from.tokens);
    this.fired = new Map(from.fired);
    this.runs = new Map(from.runs);
    this.waits = new Map(from.waits);
  }

  /** As it is now; it does not move on with the rest. */
  get moment(): Moment {
    return {
      status: this.status,
      skipped: this.skipped,
      workload: this.workload,
      variables: { ...this.variables },
      steps: new Map(this.steps),
      tokens: new Map(this.tokens),
      fired: new Map(this.fired),
      runs: new Map(this.runs),
      waits: new Map(this.waits),
      ...(this.result === undefined ? {} : { result: this.result }),
      ...(this.error === undefined ? {} : { error: this.error }),
    };
  }

  /** @param at when it happened, in milliseconds since the epoch */
  take(event: MovingEvent, at: number): void {
    const about = event.event_type.slice(0, event.event_type.indexOf('.'));
    if (about === 'token') this.token(event);
    else if (about === 'step') this.step(event, at);
    else if (about === 'loop') this.loop(event);
    else if (about === 'task') this.task(event);
    else if (about === 'ctx' || about === 'variables') this.variable(event);
    else if (event.event_type === 'next.selected') this.next(event);
    else this.playbook(event);
  }

  private token({ event_type, entity_id, payload }: MovingEvent): void {
    const step = String(payload['step'] ?? '');
    // The one that the event is about goes on for all of them.
    for (const token of (payload['merged'] as string[] | undefined) ?? []) this.tokens.delete(token);
    if (event_type === 'token.ended') this.tokens.delete(entity_id);
    else this.tokens.set(entity_id, step);
    const stand = this.steps.get(step);
    if (event_type === 'token.enqueued' && !stand?.open) this.stand(step, { look: 'queued' });
  }

  private step({ event_type, entity_id, parent_id, step_run_id, payload }: MovingEvent, at: number): void {
    const before = this.steps.get(entity_id) ?? NEW;
    const isEnd = event_type !== 'step.skipped' || 'duration_ms' in payload;
    if (event_type === 'step.started') {
      this.stand(entity_id, { look: 'running', runs: before.runs + 1, open: before.open + 1 });
      this.runs.set(step_run_id ?? entity_id, at);
    } else if (event_type in ENDS && isEnd) {
      // What goes on from here are new tokens.
      this.tokens.delete(parent_id ?? '');
      this.runEnds(step_run_id ?? entity_id);
      const open = Math.max(0, before.open - 1);
      const look = open > 0 ? 'running' : ENDS[event_type]!;
      this.stand(entity_id, { open, look, ...(open === 0 ? { tasks: 0, waits: 0 } : {}) });
    } else if (event_type === 'step.skipped' && before.open === 0) this.stand(entity_id, { look: 'skipped' });
  }

  private runEnds(run: string): void {
    this.runs.delete(run);
    for (const id of this.waits.keys())
      if (id.startsWith(`${run}.`) || id.startsWith(`${run}[`)) this.waits.delete(id);
  }

  private loop(event: MovingEvent): void {
    const { event_type, entity_id, payload, step_run_id } = event;
    // Loops inside of a pipeline are told by their tasks.
    if (step_run_id?.slice(0, step_run_id.lastIndexOf('#')) !== entity_id) return;
    const loop = this.steps.get(entity_id)?.loop;
    if (event_type === 'loop.started')
      this.stand(entity_id, {
        loop: { total: Number(payload['total'] ?? 0), done: 0, failed: 0, running: 0 },
      });
    if (!loop) return;
    const { done, failed, running } = loop;
    if (event_type === 'loop.iteration.started')
      this.stand(entity_id, { loop: { ...loop, running: running + 1 } });
    const left = Math.max(0, running - 1);
    if (event_type === 'loop.iteration.done')
      this.stand(entity_id, { loop: { ...loop, done: done + 1, running: left } });
    if (event_type === 'loop.iteration.failed')
      this.stand(entity_id, { loop: { ...loop, failed: failed + 1, running: left } });
    if (event_type === 'loop.done') {
      const stats = payload['stats'] as { success?: number; failed?: number } | undefined;
      this.stand(entity_id, {
        loop: { ...loop, done: stats?.success ?? done, failed: stats?.failed ?? failed, running: 0 },
      });
    }
  }

  private task(event: MovingEvent): void {
    const { event_type, step_run_id: run, task_run_id = '', payload } = event;
    if (!BOUNDS.has(event_type)) return;
    const isStart = event_type === 'task.started';
    const step = run?.slice(0, run.lastIndexOf('#'));
    const before = step === undefined ? undefined : this.steps.get(step);
    if (step === undefined || !before) return;
    const change = isStart ? 1 : -1;
    const tasks = Math.max(0, before.tasks + change);
    let { waits } = before;
    if (payload['kind'] === 'wait') {
      waits = Math.max(0, waits + change);
      const wait = payload['wait'] as object | undefined;
      if (isStart) this.waits.set(task_run_id, { taskRun: task_run_id, step, ...wait });
    }
    if (!isStart) this.waits.delete(task_run_id);
    const isAsleep = tasks > 0 && waits === tasks;
    const look = isAsleep ? 'asleep' : 'running';
    this.stand(step, {
      tasks,
      waits,
      look: before.open === 0 ? before.look : look,
      ...(isStart && calledBy(before, payload)),
    });
  }

  private variable({ event_type, payload }: MovingEvent): void {
    if (event_type === 'variables.deleted') {
      for (const name of (payload['names'] as string[] | undefined) ?? []) delete this.variables[name];
      return;
    }
    const patch = (payload['patch'] ?? payload['variables'] ?? {}) as Record<string, unknown>;
    for (const [path, value] of Object.entries(patch)) write(this.variables, path.split('.'), value);
  }

  private next({ entity_id, payload }: MovingEvent): void {
    const arcs = payload['arcs'] as number[] | undefined;
    if (!arcs?.length) return;
    const fired = [...(this.fired.get(entity_id) ?? [])];
    for (const arc of arcs) {
      while (fired.length <= arc) fired.push(0);
      fired[arc]! += 1;
    }
    this.fired.set(entity_id, fired);
  }

  private playbook({ event_type, payload, status }: MovingEvent): void {
    switch (event_type) {
      case 'playbook.started':
        this.workload = payload['workload'] ?? {};
        break;
      case 'limit.skipped':
        this.skipped = true;
        break;
      case 'playbook.paused':
        this.status = 'PAUSED';
        break;
      case 'playbook.resumed':
        this.status = 'RUNNING';
        break;
      case 'playbook.cancel.requested':
        this.status = 'CANCELLING';
        break;
      case 'playbook.cancelled':
        this.status = 'CANCELLED';
        break;
      case 'playbook.reset':
        this.reset();
        break;
      case 'workflow.finished':
        this.waits.clear();
        this.status = status === 'success' ? 'COMPLETED' : status === 'cancelled' ? 'CANCELLED' : 'FAILED';
        this.result = payload['result'];
        this.error = payload['error'];
        break;
      default:
    }
  }

  /** An operator had Temporal go back. */
  reset(): void {
    this.status = 'RUNNING';
    this.result = this.error = undefined;
  }

  private stand(step: string, more: Partial<StepStand>): void {
    this.steps.set(step, { ...(this.steps.get(step) ?? NEW), ...more });
  }
}

function calledBy(
  { children, called }: StepStand,
  payload: MovingEvent['payload'],
): Partial<StepStand> | undefined {
  const child = payload['child'] as { execution_id?: string; path?: string } | undefined;
  if (!child?.execution_id) return undefined;
  const one = { execution: child.execution_id, path: child.path ?? '' };
  return { called: called + 1, ...(called < CHILDREN && { children: [...children, one] }) };
}

function write(
  target: Record<string, unknown>,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length === 0) target[key] = value;
  else {
    const below = target[key];
    const copy = typeof below === 'object' && below !== null && !Array.isArray(below) ? { ...below } : {};
    target[key] = copy;
    write(copy as Record<string, unknown>, rest, value);
  }
}

/** A moment as plain JSON, without what the state of the engine has. */
export interface KeptMoment {
  readonly status: string;
  readonly skipped: boolean;
  readonly steps: readonly (readonly [string, StepStand])[];
  readonly tokens: readonly (readonly [string, string])[];
  readonly fired: readonly (readonly [string, readonly number[]])[];
  readonly runs: readonly (readonly [string, number])[];
  readonly waits: readonly (readonly [string, OpenWait])[];
}

export function keptMoment({ status, skipped, steps, tokens, fired, runs, waits }: Moment): KeptMoment {
  const lists = { steps: [...steps], tokens: [...tokens], fired: [...fired], runs: [...runs] };
  return { status, skipped, ...lists, waits: [...waits] };
}

/** @param rest what is not kept */
export function momentFrom(
  { status, skipped, steps, tokens, fired, runs, waits }: KeptMoment,
  rest: Pick<Moment, 'workload' | 'variables' | 'result' | 'error'>,
): Moment {
  const maps = { steps: new Map(steps), tokens: new Map(tokens), fired: new Map(fired), runs: new Map(runs) };
  return { status, skipped, ...maps, waits: new Map(waits), ...rest };
}
