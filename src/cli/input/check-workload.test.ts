/** Inputs on the command line are held to what the playbook says of them. */
import { compile } from '../../language/dsl';
import { type JsonObject } from '../../language/plan';
import { checkWorkload } from './check-workload';

function check(metadata: string, payload: JsonObject): string[] {
  const { plan } = compile(`
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: cities${metadata}}
workload: {pages: 1}
workflow: [{step: start, tool: {kind: noop}}]
`);
  const told: string[] = [];
  checkWorkload('cities.yaml', plan!, payload, ({ code, message }) => told.push(`${code} ${message}`));
  return told;
}

const SAID =
  ', workload: {city: {type: string, required: true}, pages: {type: integer, maximum: 9}, unit: {enum: [c, f]}}';

test('what fits passes', () => {
  expect(check(SAID, { city: 'Oslo', pages: 9 })).toEqual([]);
});

test('every input that is wrong is named, one that there is not too', () => {
  expect(() => check(SAID, { pages: 10, unit: 'k', citty: 'Oslo' })).toThrow(
    /^cities\.yaml: workload\.city is required; workload\.pages .*9.*; workload\.unit .*; workload\.citty is not an input: did you mean 'city'\? .*nothing was started$/,
  );
});

test('a playbook that says nothing takes everything, and what it does not read is told', () => {
  expect(check('', { pagess: 1 })).toEqual([
    "INPUT_UNREAD nothing reads the input 'pagess': did you mean 'pages'?",
  ]);
});
