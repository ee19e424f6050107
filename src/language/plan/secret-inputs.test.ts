import { compile } from '../dsl';
import { upgrade } from '../dsl/upgrade';
import { type Json, type JsonObject } from './json';
import { plainSecretInputs, shownPlace, inputAt, withValueAt } from './secret-inputs';

const yaml = (workload: string): string => `
apiVersion: noetl.io/v2
kind: Playbook
metadata:
  name: deep
  path: deep
  workload:
    key: {secret: true}
    db: {properties: {password: {secret: true}, host: {type: string}}}
    tokens: {items: {properties: {value: {secret: true}}}}
    pair: {secret: true, properties: {user: {secret: true}}}
workload: ${workload}
workflow: [{step: start, tool: {kind: noop}}]
`;
const { plan } = compile(yaml('{key: null, db: {host: h, password: null}, tokens: [], pair: null}'));

test('what metadata.workload calls secret is known at any depth; a secret mapping is secret as a whole', () => {
  expect(plan!.secretInputs).toEqual(['key', 'pair']);
  expect(plan!.secretPaths).toEqual([
    ['db', 'password'],
    ['tokens', '*', 'value'],
  ]);
});

test('values in the open are named by their place, in no other', () => {
  const payload = {
    key: 'k',
    db: { host: 'h', password: 'p' },
    tokens: [{ value: '' }, { value: { $secret: 'x' } }, { value: 7 }, 'text'],
  } as unknown as JsonObject;
  const places = plainSecretInputs(plan!, payload);
  expect(places.map(shownPlace)).toEqual(['key', 'db.password', 'tokens[2].value']);
  expect(places.map((place) => inputAt(payload, place))).toEqual(['k', 'p', 7]);
  const changed = places.reduce<Json>((value, place) => withValueAt(value, place, 'other'), payload);
  expect(changed).toEqual({
    key: 'other',
    db: { host: 'h', password: 'other' },
    tokens: [{ value: '' }, { value: { $secret: 'x' } }, { value: 'other' }, 'text'],
  });
});

test('a value in the playbook itself is refused, wherever it stands', () => {
  const { diagnostics } = compile(yaml('{db: {password: x1}, tokens: [{value: x2}, {value: null}]}'));
  expect(diagnostics.filter(({ code }) => code === 'NT3108').map(({ message }) => message)).toEqual([
    '`db.password` is secret, and has a value in the playbook',
    '`tokens.*.value` is secret, and has a value in the playbook',
  ]);
});

test('an upgraded playbook says the same', () => {
  const { text } = upgrade(yaml('{key: null}'));
  const again = compile(text).plan!;
  expect([again.secretInputs, again.secretPaths]).toEqual([plan!.secretInputs, plan!.secretPaths]);
});
