import fs from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { rehearsalSchema } from './format/schema';

const ROOT = path.resolve(__dirname, '../../..');
const PLAYBOOKS = path.join(ROOT, 'playbooks');
const validate = new Ajv({ strict: false, allErrors: true }).compile(rehearsalSchema());

test('docs/reference/rehearsal.schema.json says what the reader does (UPDATE_REFERENCE=1 writes it)', () => {
  const file = path.join(ROOT, 'docs/reference/rehearsal.schema.json');
  const made = `${JSON.stringify(rehearsalSchema(), null, 2)}\n`;
  if (process.env.UPDATE_REFERENCE === '1') fs.writeFileSync(file, made);
  expect(fs.readFileSync(file, 'utf8')).toBe(made);
});

const rehearsals = fs.readdirSync(PLAYBOOKS).filter((name) => name.endsWith('.rehearsal.yaml'));

test.each(rehearsals)('%s is valid by the schema', (name) => {
  validate(parse(fs.readFileSync(path.join(PLAYBOOKS, name), 'utf8')));
  expect(validate.errors).toBeNull();
});

test.each([
  ['an unknown key', 'expects: {}'],
  ['a misspelt expectation', 'expect: {statsu: failed}'],
  ['a call that is no mapping', 'expect: {calls: {fetch: [1]}}'],
  ['a misspelt key of the n-th call', 'expect: {calls: {fetch: {2: {inptu: {}}}}}'],
  ['a status that does not exist', 'expect: {status: done}'],
  ['a happening without its time', 'events: [{pause: true}]'],
  ['an event without its type', 'expect: {events: [{step: start}]}'],
])('the schema refuses %s', (_, text) => {
  expect(validate(parse(`playbook: ./x.yaml\n${text}`))).toBe(false);
});
