import { references } from '../../template';
import { type PlanValue } from '../../plan';
import { inCode } from '../check/keychain';
import { type TemplatePlace } from '../check/place';
import { type ReferenceCheck } from '../check/references';
import { type Report } from '../diagnostics/diagnostic';
import { inside, type ScalarNode } from '../yaml/node';
import { type Values } from './values';

/** A program: rendered only if it is a template in which every name is known, otherwise kept verbatim. */
export function compileCode(
  node: ScalarNode,
  place: TemplatePlace,
  values: Values,
  check: ReferenceCheck,
  report: Report,
): PlanValue {
  if (!String(node.value).includes('{{') && !String(node.value).includes('{%'))
    return asWritten(node, values);
  const template = values.tryParse(node);
  const secret = template && references(template).find(({ root }) => root === 'keychain');
  if (secret && !place.step?.inputs.some(({ key }) => key === 'keychain')) {
    const { code, message, hint } = inCode(['keychain', ...secret.path].join('.'));
    report.add(code, inside(node, secret.offset, secret.root.length), message, hint);
  }
  if (template !== null && check.allKnown(template, place)) {
    const { step } = place;
    report.add(
      'NT4005',
      node,
      `the code${step === undefined ? '' : ` of \`${step.name}\``} holds a template`,
      'pass the value as `input`, and use it as a variable',
    );
    return { template };
  }
  report.add('NT4006', node, 'the braces in this code contain no known name, so the code is not rendered');
  return asWritten(node, values);
}

function asWritten(node: ScalarNode, values: Values): PlanValue {
  if (typeof node.value === 'string') values.code.add(node);
  return { const: node.value };
}

/** Whether Python code reads the variable `context`, which is then provided. */
export function readsContext(code: string): boolean {
  return code
    .split('\n')
    .some((line) => /(?<![.\w])context\b(?!\s*=[^=])/.test(line.replace(/^\s*#.*$/, '')));
}
