/**
 * Where an expression finds its names (D9), first hit wins: iterators → reserved roots, each only where it is
 * defined → inputs → variables of the pipeline → ctx → iter → task and step results → workload keys.
 */
import { type JsonObject } from '../plan';
import { type Scope } from '../template/runtime';
import { type Context } from './context';
import { EngineError } from './failure';
import { taskRunBase } from './ids';
import { type Frame, type StepResult, type StepRun, type TaskResult, type Token } from './state';
import { type EventView, OutcomeView, stepView, TaskView } from './views';
import { ownValue } from './record';

/** The place an expression stands in: what it can see beside workload, ctx and step results. */
export interface Place {
  readonly run?: StepRun;
  readonly frame?: Frame;
  readonly token?: Token;
  readonly event?: EventView;
  /** The outcome at hand, in rules, `set` and arcs. `asData`: see OutcomeView. */
  readonly outcome?: TaskResult;
  readonly asData?: boolean;
  /** The result of the step itself, at its boundary. */
  readonly own?: StepResult;
  /** Inputs that lie over the frame's: the task's own. */
  readonly input?: JsonObject;
}

export class EngineScope implements Scope {
  constructor(
    private readonly context: Context,
    private readonly place: Place,
  ) {}

  lookup(name: string): unknown {
    const { state } = this.context;
    const { frame, run } = this.place;
    if (frame && frame.index !== null && run && name === this.context.step(run.step).loop?.iterator) {
      return run.loop!.items[frame.index];
    }
    const reserved = this.reserved(name);
    if (reserved !== undefined) return reserved;
    for (const container of [this.inputs(), frame?.locals, run?.locals, state.ctx, frame?.iter]) {
      if (container && Object.hasOwn(container, name)) return container[name];
    }
    const result = this.result(name);
    return result !== undefined || !Object.hasOwn(state.workload, name) ? result : state.workload[name];
  }

  private inputs(): JsonObject {
    const { input, frame, run, token } = this.place;
    return input ?? frame?.args ?? run?.args ?? token?.args ?? {};
  }

  private reserved(name: string): unknown {
    const { state } = this.context;
    const { frame, run, token, event, outcome } = this.place;
    switch (name) {
      case 'workload':
        return state.workload;
      case 'ctx':
      case 'vars':
        return state.ctx;
      case 'keychain':
        throw new EngineError(
          'KEYCHAIN_UNAVAILABLE',
          'this release reads credentials by name only (`auth: <name>` of a tool), not as values of `keychain`',
        );
      case 'execution_id':
        return state.executionId;
      case 'job':
        return this.job();
      case 'args':
      case 'input':
        return this.inputs();
      case 'iter':
        return this.iter();
      case 'loop_index':
        return frame?.index ?? undefined;
      case 'loop':
        return this.loop();
      case 'step':
        return run?.vars;
      case 'token':
        return token && { id: token.id, step: token.step, args: token.args, parent: token.parent };
      case 'event':
        return event;
      case '_prev':
        return this.previous();
      case '_task':
        return frame && run && this.context.step(run.step).tasks[frame.pc]?.name;
      case '_attempt':
        return frame?.attempt;
      case 'output':
      case 'outcome':
      case 'this':
        return outcome && new OutcomeView(outcome, name === 'output' && this.place.asData);
      case 'response':
        return outcome && new TaskView(outcome);
      case 'error':
        return outcome?.outcome.error ?? undefined;
      default:
        return undefined;
    }
  }

  private job(): JsonObject {
    const { state } = this.context;
    const { frame, run } = this.place;
    const job: JsonObject = { uuid: state.uuid, id: state.uuid, execution_id: state.executionId };
    const task = frame && run && this.context.step(run.step).tasks[frame.pc];
    if (task) {
      const base = taskRunBase(frame.id, task.name, ownValue(frame.visits, task.name) ?? 1);
      job.idempotency_key = `${state.executionId}/${base}`;
    }
    return job;
  }

  /** `iter`: the iteration's own keys over its index and item (S3 §3.3). */
  private iter(): unknown {
    const { frame, run, own: result } = this.place;
    if (!frame) return result?.type === 'tasks' ? result.iter : undefined;
    const loop = run && this.context.step(run.step).loop;
    if (frame.index === null || !loop) return frame.iter;
    const total = run.loop!.items.length;
    return {
      index: frame.index,
      _index: frame.index,
      _first: frame.index === 0,
      _last: frame.index === total - 1,
      [loop.iterator]: run.loop!.items[frame.index] ?? null,
      ...frame.iter,
    };
  }

  private loop(): unknown {
    const { frame, run } = this.place;
    if (!frame || frame.index === null || !run?.loop) return undefined;
    const length = run.loop.items.length;
    return {
      index: frame.index,
      index0: frame.index,
      first: frame.index === 0,
      last: frame.index === length - 1,
      length,
      done: run.loop.done,
    };
  }

  private previous(): unknown {
    const { frame } = this.place;
    if (!frame || frame.last === null) return undefined;
    return new OutcomeView(frame.results[frame.last]!, true).get('result');
  }

  /** A task of this pipeline, this step itself, or another step. */
  private result(name: string): unknown {
    const { frame, run, outcome, own: result } = this.place;
    if (run && name === run.step) {
      if (result) return stepView(result);
      if (outcome) return new TaskView(outcome, frame?.results ?? null);
    }
    const tasks = frame?.results ?? (result?.type === 'tasks' ? result.tasks : null);
    if (tasks && Object.hasOwn(tasks, name)) return new TaskView(tasks[name]!);
    const { results } = this.context.state;
    return Object.hasOwn(results, name) ? stepView(results[name]!) : undefined;
  }
}
