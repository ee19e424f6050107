/**
 * Name resolution for expressions; the first match wins: reserved roots (each only where it is in scope) → iterators →
 * inputs → variables of the pipeline → ctx → iter → task and step results → workload keys.
 */
import { ROOTS_AT } from '../../../language/plan';
import { type TemplateScope } from '../../../language/template/runtime';
import { type Context } from '../batch';
import { type ClaimedFrame, type Frame, frameView } from '../state';
import { ctxAt } from './collected';
import { kindOf, type EnginePlace } from './place';
import { inputsAt, rootAt } from './roots';
import { stepView, TaskView } from './views';

export class EngineScope implements TemplateScope {
  private readonly roots: ReadonlySet<string>;

  constructor(
    private readonly context: Context,
    readonly place: EnginePlace,
  ) {
    this.roots = ROOTS_AT[kindOf(place)];
  }

  lookup(name: string): unknown {
    const { context, place } = this;
    const { state } = context;
    const { run, frame: inner = null } = place;
    if (this.roots.has(name)) return rootAt(context, place, name);
    let frame: Frame | null;
    for (frame = inner; frame; frame = context.outerOf(frame)) {
      const within = context.loopOf(frame);
      if (within?.plan.iterator === name) return within.item;
      if (within?.loop.cursor && name === 'frame')
        return frameView(within.span as ClaimedFrame, within.item ?? null, within.loop.cursor.policy);
    }
    const inputs = inputsAt(place);
    if (Object.hasOwn(inputs, name)) return inputs[name];
    for (frame = inner; frame; frame = context.outerOf(frame)) {
      if (Object.hasOwn(frame.locals, name)) return frame.locals[name];
    }
    if (run && Object.hasOwn(run.locals, name)) return run.locals[name];
    // Its own tasks are what a pipeline means by their names, whatever ctx holds.
    for (frame = inner; frame; frame = context.outerOf(frame)) {
      if (Object.hasOwn(frame.results, name)) return new TaskView(frame.results[name]!);
    }
    if (Object.hasOwn(state.ctx, name)) return ctxAt(context, inner ?? undefined)[name];
    for (frame = inner; frame; frame = context.outerOf(frame)) {
      if (Object.hasOwn(frame.iter, name)) return frame.iter[name];
    }
    const result = this.result(name);
    return result !== undefined || !Object.hasOwn(state.workload, name) ? result : state.workload[name];
  }

  /** A task of this pipeline, this step itself, or another step. */
  private result(name: string): unknown {
    const { context } = this;
    const { frame, run, outcome, own: result } = this.place;
    if (run && name === run.step) {
      if (result) return stepView(result);
      if (outcome) return new TaskView(outcome, frame?.results ?? null);
    }
    if (!frame && result?.type === 'tasks') {
      if (result.tasks && Object.hasOwn(result.tasks, name)) return new TaskView(result.tasks[name]!);
      const [only] = result.tasks ? [] : context.step(run!.step).tasks;
      if (only?.name === name) return result.last && new TaskView(result.last);
    }
    const ended = context.state.results.get(name);
    return ended && stepView(ended);
  }
}
