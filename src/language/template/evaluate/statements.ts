import { TemplateError } from '../errors';
import { references } from '../references';
import { type Expr, type Stmt, type StmtOf } from '../ir';
import { resolve } from '../values/kinds';
import { toText } from '../values/text';
import { assignTarget } from './assign';
import { builtin, evaluateExpr } from './expressions';
import { type TemplateFrame } from './frame';
import { runLoop } from './loop';
import { callBlock, defineMacro } from './macros';
import { type Evaluation } from './run';

/** Runs statements and returns their text. */
export function render(run: Evaluation, frame: TemplateFrame, body: readonly Stmt[]): string {
  const parts: string[] = [];
  for (const statement of body) {
    const text = execute(run, frame, statement);
    if (text === '') continue;
    run.produce(text.length);
    parts.push(text);
  }
  return parts.join('');
}

function execute(run: Evaluation, frame: TemplateFrame, statement: Stmt): string {
  run.charge(run.prices.statement);
  switch (statement.op) {
    case 'text':
      return statement.v;
    case 'out': {
      const value = evaluateExpr(run, frame, statement.e);
      run.p = statement.p;
      if (run.strict) demandDefined(value, statement.e);
      return toText(value, run);
    }
    case 'if':
      for (const [condition, body] of statement.branches) {
        if (run.truth(evaluateExpr(run, frame, condition))) return render(run, frame, body);
      }
      return statement.otherwise ? render(run, frame, statement.otherwise) : '';
    case 'for':
      return runLoop(run, frame, statement, render);
    case 'set':
      assignTarget(run, frame, statement.target, evaluateExpr(run, frame, statement.e));
      return '';
    case 'setblock':
      setBlock(run, frame, statement);
      return '';
    case 'with':
      return withBlock(run, frame, statement);
    case 'scope':
      return render(run, frame.inner(), statement.body);
    case 'filterblock': {
      const text = render(run, frame.inner(), statement.body);
      return toText(filtered(run, frame, statement.filter, text), run);
    }
    case 'macro':
      frame.set(statement.n, defineMacro(run, frame, statement, render));
      return '';
    case 'callblock':
      return toText(callBlock(run, frame, statement, render), run);
  }
}

/** @throws TemplateError NT4111 if the value of an expression is undefined, naming what it reads */
export function demandDefined(value: unknown, expr: Expr): void {
  if (value !== undefined) return;
  const [read] = references(expr);
  const name = read ? [read.root, ...read.path].join('.') : 'the expression';
  throw new TemplateError(
    'undefinedValue',
    `${name} is undefined: set it, or say what to use instead with default()`,
  );
}

function setBlock(run: Evaluation, frame: TemplateFrame, { target, filter, body }: StmtOf<'setblock'>): void {
  const text = render(run, frame.inner(), body);
  assignTarget(run, frame, target, filter ? filtered(run, frame, filter, text) : text);
}

/** All values are evaluated outside the block before any name is bound inside. */
function withBlock(run: Evaluation, frame: TemplateFrame, { sets, body }: StmtOf<'with'>): string {
  const values = sets.map(([, value]) => evaluateExpr(run, frame, value));
  const inner = frame.inner();
  sets.forEach(([target], i) => {
    assignTarget(run, inner, target, values[i]);
  });
  return render(run, inner, body);
}

/** A chain of filters whose innermost one has no subject in the IR: it is applied to the text. */
function filtered(run: Evaluation, frame: TemplateFrame, chain: Expr, text: string): unknown {
  if (chain.op !== 'filter') throw new TemplateError('internal', 'a filter block without a filter');
  const subject = chain.o ? filtered(run, frame, chain.o, text) : text;
  return resolve(builtin(run, frame, chain, subject));
}
