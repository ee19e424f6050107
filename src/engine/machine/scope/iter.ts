import { type JsonObject } from '../../../language/plan';
import { View } from '../../../language/template/runtime';
import { type Context } from '../batch';
import { aboutFrame, type ClaimedFrame, type CursorState, type Frame } from '../state';

type InLoop = NonNullable<ReturnType<Context['loopOf']>>;

/**
 * `iter`: the iteration's own keys plus its index and item, with `parent`: the `iter` of the enclosing pipeline, or the
 * caller's when this is a sub-playbook called in a loop. A view, since most templates read one key.
 */
export class IterView extends View {
  constructor(
    private readonly context: Context,
    private readonly frame: Frame,
  ) {
    super();
  }

  get(key: string | number): unknown {
    const { iter, index } = this.frame;
    if (Object.hasOwn(iter, key)) return iter[key];
    const within = this.context.loopOf(this.frame);
    if (within) {
      const { plan, loop, item } = within;
      const about = loop.cursor && this.ofFrame(within, loop.cursor);
      if (about && Object.hasOwn(about, key)) return about[key];
      if (key === plan.iterator) return item ?? null;
      if (key === 'index' || key === '_index') return index;
      if (key === '_first') return index === 0;
      if (key === '_last') return index === loop.total - 1;
    }
    return key === 'parent' ? this.around() : undefined;
  }

  plain(): JsonObject {
    const { context, frame } = this;
    const around = this.around();
    const parent: JsonObject = around ? { parent: around instanceof IterView ? around.plain() : around } : {};
    const within = context.loopOf(frame);
    if (!within) return { ...parent, ...frame.iter };
    const { index } = frame;
    return {
      ...parent,
      index,
      _index: index,
      _first: index === 0,
      _last: index === within.loop.total - 1,
      [within.plan.iterator]: within.item ?? null,
      ...(within.loop.cursor && this.ofFrame(within, within.loop.cursor)),
      ...frame.iter,
    };
  }

  /** What an iteration of a cursor loop knows of its frame. */
  private ofFrame({ plan, span, item }: InLoop, { policy }: CursorState): JsonObject {
    const about = aboutFrame(span as ClaimedFrame, this.frame.index ?? 0, policy);
    return policy['process'] === 'frame' ? { ...about, [`${plan.iterator}_rows`]: item ?? null } : about;
  }

  private around(): IterView | JsonObject | undefined {
    const outer = this.context.outerOf(this.frame);
    return outer ? new IterView(this.context, outer) : (this.context.state.caller?.iter ?? undefined);
  }
}
