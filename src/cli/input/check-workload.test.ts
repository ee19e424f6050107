/** Inputs on the command line are held to what the playbook says of them. */
import { checkWorkload } from './check-workload';

const text = `
apiVersion: noetl.io/v2
kind: Playbook
metadata:
  name: cities
  workload: {city: {type: string, required: true}, pages: {type: integer, maximum: 9}, unit: {enum: [c, f]}}
workload: {pages: 1}
workflow: [{step: start, tool: {kind: noop}}]
`;

test('what fits passes, also what nothing is said of', () => {
  checkWorkload('cities.yaml', text, { city: 'Oslo', pages: 9, more: [1] });
});

test('every input that is wrong is named', () => {
  expect(() => checkWorkload('cities.yaml', text, { pages: 10, unit: 'k' })).toThrow(
    /^cities\.yaml: workload\.city is required; workload\.pages .*9.*; workload\.unit .*nothing was started$/,
  );
});

test('a playbook that says nothing takes everything', () => {
  checkWorkload('x.yaml', 'metadata: {name: x}\nworkflow: []', { anything: {} });
});
