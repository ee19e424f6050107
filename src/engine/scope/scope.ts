/**
 * Where an expression finds its names (D9), first hit wins: reserved roots, each only where it is in scope → iterators →
 * inputs → variables of the pipeline → ctx → iter → task and step results → workload keys.
 */
import { type JsonObject, type PlaceKind, ROOTS_AT, secretHandle } from '../../plan';
import { type Scope } from '../../template/runtime';
import { callName, type CallNames } from './names';
import { type Context } from '../batch';
import { itemOf, loopOf, outerOf, taskOf, workOf } from './frame';
import { type Frame, type StepResult, type StepRun, type TaskResult, type Token } from '../state';
import { type EventView, loopView, OutcomeView, stepView, TaskView } from './views';

/** The place an expression stands in: what it can see beside workload, ctx and step results. */
export interface Place {
  readonly run?: StepRun;
  readonly frame?: Frame;
  readonly token?: Token;
  readonly event?: EventView;
  /** The outcome at hand, in rules, `set` and arcs. `asData`: see OutcomeView. */
  readonly outcome?: TaskResult;
  readonly asData?: boolean;
  /** `response` is left undefined: what stands here does not look at failures, and this is one (D15). */
  readonly hidesResponse?: boolean;
  /** Why the step failed, at its arcs: a time limit or a loop has no outcome that would say it. */
  readonly error?: JsonObject;
  /** The result of the step itself, at its boundary. */
  readonly own?: StepResult;
  /** Inputs that lie over the frame's: the task's own. */
  readonly input?: JsonObject;
  /** The names of the `case` vocabulary. */
  readonly call?: CallNames;
}

/** The row of the table of reserved roots that holds in the place: what stands in it, never what has a value. */
function kindOf({ run, frame, token, event, outcome, own, call }: Place): PlaceKind {
  if (call?.writing) return event ? 'route' : 'done';
  if (call?.retry) return 'retry';
  if (call && frame?.passage?.stage === 'enter') return 'enter';
  if (call) return call.acting ? 'action' : 'guard';
  if (own) return 'arc';
  if (frame) return outcome ? 'outcome' : event ? 'wait' : 'task';
  return token ? 'admit' : run ? 'loop' : 'start';
}

export class EngineScope implements Scope {
  private readonly roots: ReadonlySet<string>;

  constructor(
    private readonly context: Context,
    private readonly place: Place,
  ) {
    this.roots = ROOTS_AT[kindOf(place)];
  }

  lookup(name: string): unknown {
    const { context } = this;
    const { state } = context;
    const { run, frame: inner = null } = this.place;
    if (this.roots.has(name)) return this.reserved(name);
    let frame: Frame | null;
    for (frame = inner; frame; frame = outerOf(context, frame)) {
      const within = loopOf(context, frame);
      if (within?.plan.iterator === name) return itemOf(within.loop, frame.index!);
    }
    const inputs = this.inputs();
    if (Object.hasOwn(inputs, name)) return inputs[name];
    for (frame = inner; frame; frame = outerOf(context, frame)) {
      if (Object.hasOwn(frame.locals, name)) return frame.locals[name];
    }
    if (run && Object.hasOwn(run.locals, name)) return run.locals[name];
    if (Object.hasOwn(state.ctx, name)) return state.ctx[name];
    for (frame = inner; frame; frame = outerOf(context, frame)) {
      if (Object.hasOwn(frame.iter, name)) return frame.iter[name];
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
    const { frame, run, token, event, outcome, call } = this.place;
    const called = call && callName(call, name);
    if (called) return called();
    switch (name) {
      case 'workload':
        return state.workload;
      case 'ctx':
      case 'vars':
        return state.ctx;
      case 'keychain':
        return this.keychain();
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
        return frame && taskOf(this.context, frame)?.name;
      case '_attempt':
        return frame?.attempt;
      case 'output':
      case 'outcome':
      case 'this':
        return outcome && new OutcomeView(outcome, name === 'output' && this.place.asData);
      case 'response':
        return this.response();
      case 'error':
        return this.place.error ?? outcome?.outcome.error ?? undefined;
      default:
        return undefined;
    }
  }

  /** By name of an entry: its handle. */
  private keychain(): JsonObject {
    const { keychain = {} } = this.context.state;
    return Object.fromEntries(Object.entries(keychain).map(([name, id]) => [name, secretHandle(id)]));
  }

  private job(): JsonObject {
    const { state } = this.context;
    const { frame } = this.place;
    const job: JsonObject = { uuid: state.uuid, id: state.uuid, execution_id: state.executionId };
    if (frame && taskOf(this.context, frame)) {
      job.idempotency_key = `${state.executionId}/${workOf(this.context, frame)}`;
    }
    return job;
  }

  /** `iter`: the iteration's own keys over its index and item (S3 §3.3). */
  private iter(): unknown {
    const { frame, own: result } = this.place;
    return frame ? iterOf(this.context, frame) : result?.type === 'tasks' ? result.iter : undefined;
  }

  private loop(): unknown {
    const { frame } = this.place;
    const within = frame && loopOf(this.context, frame);
    if (!within) return undefined;
    const { index } = frame;
    const length = within.loop.total;
    return {
      index,
      index0: index,
      first: index === 0,
      last: index === length - 1,
      length,
      done: within.loop.done,
    };
  }

  /** Of a loop's boundary: what the loop came to. */
  private response(): unknown {
    const { outcome, hidesResponse, own: result } = this.place;
    if (hidesResponse) return undefined;
    return outcome ? new TaskView(outcome) : result && loopView(result);
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
    for (let around = frame ?? null; around; around = outerOf(this.context, around)) {
      if (Object.hasOwn(around.results, name)) return new TaskView(around.results[name]!);
    }
    const own = !frame && result?.type === 'tasks' ? result.tasks : null;
    if (own && Object.hasOwn(own, name)) return new TaskView(own[name]!);
    const ended = this.context.state.results.get(name);
    return ended && stepView(ended);
  }
}

/**
 * The iteration's own keys over its index and item (S3 §3.3), with `parent`, the `iter` of the pipeline that the loop
 * is a task of, or of the caller's when this is a sub-playbook called in a loop (D20).
 */
function iterOf(context: Context, frame: Frame): JsonObject {
  const outer = outerOf(context, frame);
  const around = outer ? iterOf(context, outer) : (context.state.caller?.iter ?? null);
  const parent: JsonObject = around ? { parent: around } : {};
  const within = loopOf(context, frame);
  if (!within) return { ...parent, ...frame.iter };
  const { plan, loop } = within;
  const { index } = frame;
  return {
    ...parent,
    index,
    _index: index,
    _first: index === 0,
    _last: index === loop.total - 1,
    [plan.iterator]: itemOf(loop, index!) ?? null,
    ...frame.iter,
  };
}
