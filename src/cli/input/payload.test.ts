import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { UsageError } from '../errors';
import { parseSet } from './json';
import { readPayload } from './payload';

describe('--payload @FILE', () => {
  const write = (name: string, text: string): string => {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'payload-')), name);
    fs.writeFileSync(file, text);
    return `@${file}`;
  };

  test('in YAML', () => {
    expect(readPayload(write('in.yaml', 'a: 1\nb: [x, {c: no}]\n'))).toEqual({ a: 1, b: ['x', { c: 'no' }] });
  });

  test.each([
    ['a: [1', /in\.yml:1:\d+: error NT1/],
    ['- 1', /in\.yml:1:1: error/],
    ['a: 1\na: 2', /in\.yml:2:1: error/],
  ])('%j is refused at its place', (text, message) => {
    expect(() => readPayload(write('in.yml', text))).toThrow(message);
  });
});

describe('--set', () => {
  test.each([
    ['a=1', { a: 1 }],
    ['a.b=true', { a: { b: true } }],
    ['workload.a.b=x', { a: { b: 'x' } }],
    ['workload=x', { workload: 'x' }],
    ['a="1"', { a: '1' }],
    ['a=', { a: '' }],
    ['a=b=c', { a: 'b=c' }],
    ['a=null', { a: null }],
    ['a=[1, {"b": 2}]', { a: [1, { b: 2 }] }],
    ['a=007', { a: '007' }],
    ['id=287146398761160704123', { id: '287146398761160704123' }],
    ['hosts.example\\.com=1', { hosts: { 'example.com': 1 } }],
  ])('%s', (text, value) => expect(parseSet(text)).toEqual(value));

  test.each(['', 'a', '=1', 'a..b=1', '.a=1'])('%p is refused in one line', (text) => {
    expect(() => parseSet(text)).toThrow(UsageError);
  });

  test('a name that JavaScript treats specially stays an ordinary name', () => {
    const payload = readPayload('{"a": 1}', ['__proto__.polluted=1']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.keys(payload)).toEqual(['a', '__proto__']);
  });
});

describe('--payload', () => {
  test('every --set is laid over it in order', () => {
    expect(readPayload('{"a": {"b": 1, "c": 2}}', ['a.b=3', 'a.b=4', 'd=5'])).toEqual({
      a: { b: 4, c: 2 },
      d: 5,
    });
    expect(readPayload(undefined)).toEqual({});
  });

  test('comes from a file', () => {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-payload-')), 'p.json');
    fs.writeFileSync(file, '\uFEFF{"a": 1}');
    expect(readPayload(`@${file}`)).toEqual({ a: 1 });
    fs.writeFileSync(file, '{\n  "a": 1,\n}');
    expect(() => readPayload(`@${file}`)).toThrow(`${file} is not JSON at line 3, column 1`);
    fs.rmSync(path.dirname(file), { recursive: true });
    expect(() => readPayload(`@${file}`)).toThrow('cannot be read (ENOENT)');
  });

  test('says where it ends too early, and what else it is', () => {
    expect(() => readPayload('{"a": ')).toThrow('--payload is not JSON at line 1, column 7');
    expect(() => readPayload('[1]')).toThrow('--payload must be a JSON object, not a list');
    expect(() => readPayload('null')).toThrow('not null');
  });
});
