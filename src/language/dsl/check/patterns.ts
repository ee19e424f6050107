import { patternProblem } from '../../template/filters/regex';
import { type TemplateReference } from '../../template';
import { type CheckFinding } from './finding';

/** A literal pattern of a filter or test that the matcher does not accept. */
export function findPattern({ root, argument }: TemplateReference): CheckFinding | undefined {
  const message = argument === undefined ? undefined : patternProblem(root, argument);
  if (message === undefined) return undefined;
  const hint =
    "write it in the syntax of Python's `re`, without back-references, conditions and possessive quantifiers";
  return { code: 'NT4113', message, hint };
}
