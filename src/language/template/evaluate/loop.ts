import { type Expr, type Stmt, type StmtOf } from '../ir';
import { TemplateError } from '../errors';
import { equals } from '../values/compare';
import { Callable, Internal } from '../values/kinds';
import { listedItems } from '../values/sequence';
import { assignTarget } from './assign';
import { evaluateExpr } from './expressions';
import { type TemplateFrame } from './frame';
import { type Evaluation } from './run';

/** Renders a body; a parameter, because loops and macros are statements that contain statements. */
export type Render = (run: Evaluation, frame: TemplateFrame, body: readonly Stmt[]) => string;

/** `{% for %}`, with filter, else branch and recursion. */
export function runLoop(
  run: Evaluation,
  frame: TemplateFrame,
  statement: StmtOf<'for'>,
  render: Render,
): string {
  const again = (items: unknown, depth: number): string =>
    run.nested(() => iterateOver(run, frame, statement, render, items, depth, again));
  return again(evaluateExpr(run, frame, statement.in), 0);
}

function iterateOver(
  run: Evaluation,
  frame: TemplateFrame,
  statement: StmtOf<'for'>,
  render: Render,
  source: unknown,
  depth: number,
  again: (items: unknown, depth: number) => string,
): string {
  run.p = statement.p;
  const all = listedItems(source, run, 'for');
  const items = statement.test ? all.filter(passes(run, frame, statement, statement.test)) : all;
  if (items.length === 0) return statement.otherwise ? render(run, frame.inner(), statement.otherwise) : '';
  const loop = new Loop(run, items, depth, statement.recursive ? again : undefined);
  const parts = items.map((element, i) => {
    run.charge(run.prices.iteration);
    loop.index = i;
    const inner = frame.inner();
    inner.set('loop', loop);
    assignTarget(run, inner, statement.target, element);
    return render(run, inner, statement.body);
  });
  return parts.join('');
}

function passes(
  run: Evaluation,
  frame: TemplateFrame,
  statement: StmtOf<'for'>,
  test: Expr,
): (element: unknown) => boolean {
  return (element) => {
    run.charge(run.prices.condition);
    const inner = frame.inner();
    assignTarget(run, inner, statement.target, element);
    return run.truth(evaluateExpr(run, inner, test));
  };
}

/** The variable `loop`. */
class Loop extends Internal {
  readonly typeName = 'loop';
  index = 0;
  private changed: readonly unknown[] | undefined;

  constructor(
    private readonly run: Evaluation,
    private readonly items: readonly unknown[],
    private readonly depth: number,
    private readonly again: ((items: unknown, depth: number) => string) | undefined,
  ) {
    super();
  }

  override attribute(key: string): unknown {
    const { index, items } = this;
    switch (key) {
      case 'index':
        return index + 1;
      case 'index0':
        return index;
      case 'revindex':
        return items.length - index;
      case 'revindex0':
        return items.length - index - 1;
      case 'first':
        return index === 0;
      case 'last':
        return index === items.length - 1;
      case 'length':
        return items.length;
      case 'depth':
        return this.depth + 1;
      case 'depth0':
        return this.depth;
      case 'previtem':
        return index > 0 ? items[index - 1] : undefined;
      case 'nextitem':
        return items[index + 1];
      default:
        return undefined;
    }
  }

  override method(name: string): Callable | undefined {
    if (name === 'cycle') return new Callable('cycle', (args) => this.cycle(args));
    return name === 'changed' ? new Callable('changed', (args) => this.hasChanged(args)) : undefined;
  }

  /** `loop(items)` in a recursive loop. */
  override call(args: readonly unknown[]): string {
    if (!this.again)
      throw new TemplateError('wrongType', "this loop is not recursive: write 'recursive' in its tag");
    return this.again(args[0], this.depth + 1);
  }

  private cycle(args: readonly unknown[]): unknown {
    if (args.length === 0) throw new TemplateError('wrongArguments', 'loop.cycle() needs at least one value');
    return args[this.index % args.length];
  }

  private hasChanged(args: readonly unknown[]): boolean {
    const same = this.changed !== undefined && equals(this.changed, args, this.run);
    this.changed = args;
    return !same;
  }
}
