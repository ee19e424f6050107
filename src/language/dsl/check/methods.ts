import { dictMethods, listMethods, mutators } from '../../template/methods/containers';
import { stringMethods } from '../../template/methods/strings';
import { didYouMean } from '../diagnostics/suggest';
import { type CheckFinding } from './finding';

const METHODS: ReadonlySet<string> = new Set([stringMethods, listMethods, dictMethods].flatMap(Object.keys));

/** Values of other types (times, loops) have their own methods, so only a clear mistake is reported. */
export function findMethod(name: string): CheckFinding | undefined {
  if (METHODS.has(name)) return undefined;
  if (Object.hasOwn(mutators, name)) {
    const message = `\`${name}()\` would modify the data, which templates cannot do`;
    return { code: 'NT4104', message, hint: mutators[name] };
  }
  const hint = didYouMean(name, METHODS);
  return hint === undefined
    ? undefined
    : { code: 'NT4104', message: `no value has a method \`${name}\``, hint };
}
