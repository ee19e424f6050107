import { TemplateError } from '../errors';
import { type Template } from '../ir';
import { type TemplateEnvironment, type TemplateScope } from '../scope';
import { View } from '../view';
import { templateLimits } from '../values/meter';
import { plainValue } from '../values/plain';
import { applyFilter, applyTest } from './apply';
import { evaluateExpr } from './expressions';
import { TemplateFrame } from './frame';
import { Evaluation } from './run';
import { demandDefined, render } from './statements';

/**
 * Evaluates a template: an expression to its native value, text to a string. Undefined stays `undefined`; views are
 * resolved to plain values; internal values are never returned. Pure: the same template, scope and environment give
 * the same value, or the same error at the same step.
 *
 * @throws TemplateError (NT41xx, NT42xx) with the position of the failed operation.
 */
export function evaluate(
  template: Template,
  scope: TemplateScope,
  environment?: TemplateEnvironment,
  strict = false,
): unknown {
  const run = new Evaluation(scope, environment, applyFilter, applyTest, strict);
  try {
    if (template.kind === 'text') return render(run, new TemplateFrame(undefined, scope), template.body);
    const value = evaluateExpr(run, scope, template.expr);
    if (strict) demandDefined(value, template.expr);
    return plainValue(value, run);
  } catch (error) {
    throw located(error, template, run);
  } finally {
    run.end();
  }
}

/** Like `evaluate`, but returns a view itself if the expression yields one: for look-ups that are passed on. */
export function evaluateRaw(
  template: Template,
  scope: TemplateScope,
  environment?: TemplateEnvironment,
  strict = false,
): unknown {
  if (template.kind === 'text') return evaluate(template, scope, environment, strict);
  const run = new Evaluation(scope, environment, applyFilter, applyTest, strict);
  try {
    const value = evaluateExpr(run, scope, template.expr);
    if (strict) demandDefined(value, template.expr);
    return value instanceof View ? value : plainValue(value, run);
  } catch (error) {
    throw located(error, template, run);
  } finally {
    run.end();
  }
}

/** The error of an evaluation, with the position of the current operation. */
function located(error: unknown, template: Template, run: Evaluation): unknown {
  if (error instanceof TemplateError) return error.locate(template, run.p);
  // Our limits keep the stack small, but the depth of the caller's stack is unknown.
  if (!(error instanceof RangeError)) return error;
  const message = `nested too deeply, at most ${String(templateLimits.depth)} levels`;
  return new TemplateError('tooDeep', message).locate(template, run.p);
}
