import { TemplateError } from '../errors';
import { type Target } from '../ir';
import { iterate } from '../values/sequence';
import { type Frame } from './frame';
import { Namespace } from './globals';
import { type Run } from './run';

/** Binds a value to a name, to the names of a tuple, or to a key of a namespace. */
export function assign(run: Run, frame: Frame, target: Target, value: unknown): void {
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
      const items = iterate(value, run, 'unpacking');
      if (items.length !== target.e.length) {
        const [nameCount, given] = [String(target.e.length), String(items.length)];
        throw new TemplateError('wrongType', `cannot unpack ${given} values into ${nameCount} names`);
      }
      target.e.forEach((part, i) => {
        assign(run, frame, part, items[i]);
      });
    }
  }
}
