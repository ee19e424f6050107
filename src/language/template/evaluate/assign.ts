import { TemplateError } from '../errors';
import { type AssignmentTarget } from '../ir';
import { listedItems } from '../values/sequence';
import { type TemplateFrame } from './frame';
import { Namespace } from './globals';
import { type Evaluation } from './run';

/** Binds a value to a name, to the names of a tuple, or to a key of a namespace. */
export function assignTarget(
  run: Evaluation,
  frame: TemplateFrame,
  target: AssignmentTarget,
  value: unknown,
): void {
  switch (target.op) {
    case 'name':
      frame.set(target.n, value);
      return;
    case 'ns': {
      run.p = target.p;
      const namespace = frame.lookup(target.n);
      if (!(namespace instanceof Namespace)) {
        throw new TemplateError(
          'wrongType',
          `'${target.n}' is not a namespace: {% set ${target.n} = namespace() %} makes one`,
        );
      }
      namespace.values.set(target.k, value);
      return;
    }
    case 'tuple': {
      run.p = target.p;
      const items = listedItems(value, run, 'unpacking');
      if (items.length !== target.e.length) {
        const [nameCount, given] = [String(target.e.length), String(items.length)];
        throw new TemplateError('wrongType', `cannot unpack ${given} values into ${nameCount} names`);
      }
      target.e.forEach((part, i) => {
        assignTarget(run, frame, part, items[i]);
      });
    }
  }
}
