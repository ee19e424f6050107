/** A run at one moment: what its events say up to there. Parts are replaced, never changed, so that moments share them. */
import { type CanonicalEvent } from '../../src/history';
import { type Graph } from '../../src/dsl/graph';
import { type Look } from '../parts/status';

export interface StepStand {
  readonly look: Look;
  /** How often it has started; how many of these are under way. */
  readonly runs: number;
  readonly open: number;
  /** Of its loop, the one that began last. */
  readonly loop?: LoopStand;
  /** Tasks under way, and those of them that only wait. */
  readonly tasks: number;
  readonly waits: number;
  /** Executions of sub-playbooks that it called. */
  readonly children: readonly Child[];
}

export interface Child {
  readonly execution: string;
  readonly path: string;
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
  /** Arc of the graph, by index → how often it fired. */
  readonly fired: ReadonlyMap<number, number>;
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
};

const NEW: StepStand = { look: 'waiting', runs: 0, open: 0, tasks: 0, waits: 0, children: [] };

const ENDS: Readonly<Record<string, Look>> = {
  'step.done': 'done',
  'step.failed': 'failed',
  'step.skipped': 'skipped',
};

/** A moment that events are put into, one after the other. */
export class Moving {
  private status: string;
  private skipped: boolean;
  private workload: unknown;
  private variables: Record<string, unknown>;
  private readonly steps: Map<string, StepStand>;
  private readonly tokens: Map<string, string>;
  private readonly fired: Map<number, number>;
  private result: unknown;
  private error: unknown;

  constructor(
    private readonly graph: ArcIndex,
    from: Moment = BEFORE,
  ) {
    ({ status: this.status, workload: this.workload, result: this.result, error: this.error } = from);
    this.skipped = from.skipped;
    this.variables = { ...from.variables };
    this.steps = new Map(from.steps);
    this.tokens = new Map(from.tokens);
    this.fired = new Map(from.fired);
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
      ...(this.result === undefined ? {} : { result: this.result }),
      ...(this.error === undefined ? {} : { error: this.error }),
    };
  }

  take(event: CanonicalEvent): void {
    const [about] = event.event_type.split('.', 1) as [string];
    if (about === 'token') this.token(event);
    else if (about === 'step') this.step(event);
    else if (about === 'loop') this.loop(event);
    else if (about === 'task') this.task(event);
    else if (about === 'ctx' || about === 'variables') this.variable(event);
    else if (event.event_type === 'next.selected') this.next(event);
    else this.playbook(event);
  }

  private token({ event_type, entity_id, payload }: CanonicalEvent): void {
    const step = String(payload['step'] ?? '');
    // The one that the event is about goes on for all of them.
    for (const token of (payload['merged'] as string[] | undefined) ?? []) this.tokens.delete(token);
    if (event_type === 'token.ended') this.tokens.delete(entity_id);
    else this.tokens.set(entity_id, step);
    const stand = this.steps.get(step);
    if (event_type === 'token.enqueued' && !stand?.open) this.stand(step, { look: 'queued' });
  }

  private step({ event_type, entity_id, parent_id, payload }: CanonicalEvent): void {
    const before = this.steps.get(entity_id) ?? NEW;
    const isEnd = event_type !== 'step.skipped' || 'duration_ms' in payload;
    if (event_type === 'step.started')
      this.stand(entity_id, { look: 'running', runs: before.runs + 1, open: before.open + 1 });
    else if (event_type in ENDS && isEnd) {
      // What goes on from here are new tokens.
      this.tokens.delete(parent_id ?? '');
      const open = Math.max(0, before.open - 1);
      const look = open > 0 ? 'running' : ENDS[event_type]!;
      this.stand(entity_id, { open, look, ...(open === 0 ? { tasks: 0, waits: 0 } : {}) });
    } else if (event_type === 'step.skipped' && before.open === 0) this.stand(entity_id, { look: 'skipped' });
  }

  private loop(event: CanonicalEvent): void {
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

  private task({ event_type, step_run_id, payload }: CanonicalEvent): void {
    const step = step_run_id?.slice(0, step_run_id.lastIndexOf('#'));
    const before = step === undefined ? undefined : this.steps.get(step);
    if (step === undefined || !before) return;
    const isWait = payload['kind'] === 'wait' ? 1 : 0;
    let { tasks, waits, children } = before;
    if (event_type === 'task.started') {
      tasks += 1;
      waits += isWait;
      const child = payload['child'] as { execution_id?: string; path?: string } | undefined;
      if (child?.execution_id)
        children = [...children, { execution: child.execution_id, path: child.path ?? '' }];
    } else if (event_type === 'task.done' || event_type === 'task.failed') {
      tasks = Math.max(0, tasks - 1);
      waits = Math.max(0, waits - isWait);
    } else return;
    const look = before.open === 0 ? before.look : tasks > 0 && waits === tasks ? 'asleep' : 'running';
    this.stand(step, { tasks, waits, children, look });
  }

  private variable({ event_type, payload }: CanonicalEvent): void {
    if (event_type === 'variables.deleted') {
      for (const name of (payload['names'] as string[] | undefined) ?? []) delete this.variables[name];
      return;
    }
    const patch = (payload['patch'] ?? payload['variables'] ?? {}) as Record<string, unknown>;
    for (const [path, value] of Object.entries(patch)) write(this.variables, path.split('.'), value);
  }

  private next({ entity_id, payload }: CanonicalEvent): void {
    for (const arc of (payload['arcs'] as number[] | undefined) ?? []) {
      const index = this.graph.of(entity_id, arc);
      if (index !== undefined) this.fired.set(index, (this.fired.get(index) ?? 0) + 1);
    }
  }

  private playbook({ event_type, payload, status }: CanonicalEvent): void {
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
        this.status = 'RUNNING';
        this.result = this.error = undefined;
        break;
      case 'workflow.finished':
        this.status = status === 'success' ? 'COMPLETED' : status === 'cancelled' ? 'CANCELLED' : 'FAILED';
        this.result = payload['result'];
        this.error = payload['error'];
        break;
      default:
    }
  }

  private stand(step: string, more: Partial<StepStand>): void {
    this.steps.set(step, { ...(this.steps.get(step) ?? NEW), ...more });
  }
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

/** Arcs of the graph by their step and their place in its router. */
export class ArcIndex {
  private readonly first = new Map<string, number>();

  constructor({ arcs }: Pick<Graph, 'arcs'>) {
    arcs.forEach(({ from }, index) => {
      if (!this.first.has(from)) this.first.set(from, index);
    });
  }

  of(step: string, arc: number): number | undefined {
    const first = this.first.get(step);
    return first === undefined ? undefined : first + arc;
  }
}
