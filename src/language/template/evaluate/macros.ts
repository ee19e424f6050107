import { TemplateError } from '../errors';
import { type MacroBody, type StmtOf } from '../ir';
import { callMethod } from '../methods';
import { templateSuggestion } from '../suggest';
import { Callable, dictOf, Internal, Tuple, type Keywords } from '../values/kinds';
import { evaluateExpr, keywords, positional } from './expressions';
import { type TemplateFrame } from './frame';
import { type Render } from './loop';
import { type Evaluation } from './run';

/** A macro: its body can use the names around its definition and its parameters. */
export function defineMacro(
  run: Evaluation,
  frame: TemplateFrame,
  macro: StmtOf<'macro'>,
  render: Render,
): Callable {
  return closure(run, frame, macro.n, macro, render);
}

/** `{% call macro(…) %}`: the macro calls the block's body as `caller()`. */
export function callBlock(
  run: Evaluation,
  frame: TemplateFrame,
  statement: StmtOf<'callblock'>,
  render: Render,
): unknown {
  const { call } = statement;
  const caller = closure(run, frame, 'caller', statement, render);
  const args = positional(run, frame, call);
  const named = new Map([...keywords(run, frame, call), ['caller', caller] as const]);
  if (call.op === 'method') {
    const subject = evaluateExpr(run, frame, call.o);
    run.p = call.p;
    return callMethod(run, subject, call.n, args, named);
  }
  const callee = evaluateExpr(run, frame, call.f);
  run.p = call.p;
  if (callee instanceof Internal) return callee.call(args, named);
  throw new TemplateError('unknownCallable', '{% call %} needs a macro');
}

type Definition = MacroBody;

function closure(
  run: Evaluation,
  frame: TemplateFrame,
  name: string,
  definition: Definition,
  render: Render,
): Callable {
  return new Callable(name, (args, named) =>
    run.nested(() => {
      const inner = frame.inner();
      bind(run, inner, name, definition, args, named);
      return render(run, inner, definition.body);
    }),
  );
}

/**
 * Binds parameters by Python's rules; remaining arguments are available as `varargs`, `kwargs` and `caller` if the
 * body uses these.
 */
function bind(
  run: Evaluation,
  frame: TemplateFrame,
  name: string,
  { params, extras = [] }: Definition,
  args: readonly unknown[],
  named: Keywords,
): void {
  const rest = new Map(named);
  params.forEach((param, i) => {
    const given = i < args.length || rest.has(param.n);
    const value = i < args.length ? args[i] : rest.get(param.n);
    rest.delete(param.n);
    // A default may use preceding parameters.
    frame.set(param.n, given ? value : param.default && evaluateExpr(run, frame, param.default));
  });
  if (args.length > params.length && !extras.includes('varargs')) {
    throw new TemplateError(
      'wrongArguments',
      `the macro ${name} takes at most ${String(params.length)} arguments`,
    );
  }
  frame.set('varargs', Tuple.make(args.slice(params.length)));
  if (extras.includes('caller')) {
    frame.set('caller', rest.get('caller'));
    rest.delete('caller');
  }
  const [unknown] = rest.keys();
  if (unknown !== undefined && !extras.includes('kwargs')) {
    const names = params.map((param) => param.n);
    throw new TemplateError(
      'wrongArguments',
      `the macro ${name} has no argument '${unknown}'${templateSuggestion(unknown, names)}`,
    );
  }
  frame.set('kwargs', dictOf(rest));
}
