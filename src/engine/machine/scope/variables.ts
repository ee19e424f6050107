import { View } from '../../../language/template/runtime';
import { type Context } from '../batch';
import { type Frame } from '../state';
import { ctxAt } from './collected';

/**
 * `ctx`: the variables. A key that nothing has written is read from the workload: at the official engines both are one,
 * so that inputs are the first values of variables. As a whole it is what was written.
 */
export class VariablesView extends View {
  constructor(
    private readonly context: Context,
    private readonly frame: Frame | undefined,
  ) {
    super();
  }

  get(key: string | number): unknown {
    const { workload } = this.context.state;
    const written = this.plain();
    if (Object.hasOwn(written, key)) return written[key];
    return Object.hasOwn(workload, key) ? workload[key] : undefined;
  }

  plain(): ReturnType<typeof ctxAt> {
    return ctxAt(this.context, this.frame);
  }
}
