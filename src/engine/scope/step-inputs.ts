/** What a step, or a loop inside of one, gives to its tasks: the token's arguments and the inputs beside the tool. */
import { type JsonObject } from '../../plan';
import { type Context } from '../batch';
import { define, type Frame, type StepRun } from '../state';
import { type Place } from './place';
import { mappingAt } from './values';

/**
 * Inputs of a step are defaults: the arguments of the token lie over them, but for the keys that bind. Those of a task
 * (`outer` is the frame that is at it) lie over the arguments.
 *
 * @throws TemplateError as the templates in them do
 */
export function inputsOver(
  context: Context,
  args: JsonObject,
  { run, outer }: { readonly run: StepRun; readonly outer: Frame | null },
  place: Place,
): JsonObject {
  const step = context.step(run.step);
  const { input } = outer ? context.taskOf(outer) : step;
  if (!input) return args;
  const own = mappingAt(context, input, place);
  if (outer) return { ...args, ...own };
  const inputs = { ...own, ...args };
  for (const key of step.binds ?? []) define(inputs, key, own[key]!);
  return inputs;
}
