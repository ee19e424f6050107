/** Inputs of playbooks: what an execution is to start with, against what its playbook says of it. */
import { type JsonObject } from '../json';
import { secretHandle } from '../secret';
import { playbookInputs, refusedInputs, type WrongInput, wrongInputs } from '.';

const wrong = (schemas: JsonObject, defaults: JsonObject, payload: JsonObject): WrongInput[] =>
  wrongInputs(playbookInputs({ metadata: { workload: schemas }, workload: defaults }), payload);

test.each<[schema: JsonObject, value: JsonObject[string], said: string | undefined]>([
  [{ type: 'integer' }, 3, undefined],
  [{ type: 'integer' }, 3.5, 'must be a whole number, not a number'],
  [{ type: 'integer' }, '3', 'must be a whole number, not a string'],
  [{ type: 'number', minimum: 0 }, -1, 'must be at least 0'],
  [{ type: ['string', 'array'] }, {}, 'must be a string or a list, not a mapping'],
  [{ type: 'boolean' }, null, undefined],
  [{ type: 'boolean', required: true }, null, 'is required'],
  [{ type: ['boolean', 'null'], required: true }, null, undefined],
  [{ enum: ['a', 1] }, 1, undefined],
  [{ enum: ['a', 1] }, '1', 'must be one of "a", 1'],
  [{ maxLength: 2 }, '🙂🙂', undefined],
  [{ maxLength: 2 }, 'abc', 'must have at most 2 characters'],
  [{ type: 'strnig' }, 1, undefined],
  [{ properties: { a: {} } }, { a: 1, b: 2 }, undefined],
  [{ properties: { a: {} }, additionalProperties: {} }, { a: 1, b: 2 }, undefined],
  [{ properties: { a: {} }, additionalProperties: false }, { a: 1 }, undefined],
])('%j of %j: %s', (schema, value, said) => {
  expect(wrong({ key: schema }, {}, { key: value })).toEqual(
    said === undefined ? [] : [{ at: 'workload.key', message: said }],
  );
});

test('a closed mapping has no other keys, whatever they are called', () => {
  const closed = { properties: { a: {} }, additionalProperties: false };
  const value = JSON.parse('{"a": 1, "b": 2, "__proto__": {}, "constructor": 1}') as JsonObject;
  expect(wrong({ key: closed }, {}, { key: value })).toEqual(
    ['b', '__proto__', 'constructor'].map((key) => ({
      at: `workload.key.${key}`,
      message: 'is not an input',
    })),
  );
});

test('every input that is wrong is named, at any depth', () => {
  const said = {
    cities: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string', required: true } } },
    },
    limits: { properties: { pages: { type: 'integer' } } },
    missing: { required: true },
    defaulted: { required: true },
  };
  expect(
    wrong(said, { defaulted: 1 }, { cities: [{ name: 'Oslo' }, {}, 5], limits: { pages: 'x' } }),
  ).toEqual([
    { at: 'workload.cities[1].name', message: 'is required' },
    { at: 'workload.cities[2]', message: 'must be a mapping, not a number' },
    { at: 'workload.limits.pages', message: 'must be a whole number, not a string' },
    { at: 'workload.missing', message: 'is required' },
  ]);
});

test('names that objects have by themselves are names like others', () => {
  const said = JSON.parse(
    '{"__proto__": {"type": "string"}, "constructor": {"required": true}}',
  ) as JsonObject;
  expect(wrong(said, {}, JSON.parse('{"__proto__": 1}') as JsonObject)).toEqual([
    { at: 'workload.__proto__', message: 'must be a string, not a number' },
    { at: 'workload.constructor', message: 'is required' },
  ]);
});

test('what is neither said nor in the workload is not an input to start with; a call may hand it on', () => {
  const inputs = playbookInputs({
    metadata: { workload: { threshold: { type: 'integer' } } },
    workload: { city: null, unit: 'c' },
  });
  const payload = { thresold: 3, city: 1, unit: 1, more: 1 };
  expect(refusedInputs(inputs, payload)).toEqual([
    { at: 'workload.thresold', message: "is not an input: did you mean 'threshold'?" },
    { at: 'workload.more', message: 'is not an input' },
  ]);
  expect(wrongInputs(inputs, payload)).toEqual([]);
});

test('a default of null is none, and a playbook that says nothing takes everything', () => {
  expect(wrong({ a: { required: true } }, { a: null }, {})).toEqual([
    { at: 'workload.a', message: 'is required' },
  ]);
  expect(wrongInputs(playbookInputs({ workload: { a: null } }), { b: 1 })).toEqual([]);
});

test('what stands for a secret is what it should be, as far as anybody can tell', () => {
  const said = { token: { type: 'string', required: true } };
  expect(wrong(said, {}, { token: secretHandle('s1') })).toEqual([]);
});
