import { answerTo, formFields, formIn, valueIn, type WaitForm } from './forms';
import { type Json, type JsonObject } from './json';

const form = (fields: JsonObject, more: JsonObject = {}): WaitForm => {
  const read = formIn({ fields, ...more });
  if (typeof read === 'string') throw new Error(read);
  return read;
};
const amount = {
  amount: { type: 'number', required: true, minimum: 1, maximum: 9 },
  note: { type: 'string' },
};

test.each<[given: Json, outcome: object]>([
  [{ amount: 5 }, { result: { amount: 5, note: null, rejected: false, reason: null } }],
  [{ amount: 5, rejected: false }, { result: { amount: 5, note: null, rejected: false, reason: null } }],
  [{ rejected: true, reason: 'no' }, { result: { rejected: true, reason: 'no' } }],
  [{ rejected: true, amount: 'x' }, { result: { rejected: true, reason: null } }],
  [{}, { wrong: [{ at: 'answer.amount', message: 'is required' }] }],
  [{ amount: '5' }, { wrong: [{ at: 'answer.amount', message: 'must be a number, not a string' }] }],
  [{ amount: 10 }, { wrong: [{ at: 'answer.amount', message: 'must be at most 9' }] }],
  [{ amount: 5, by: 'Eve' }, { wrong: [{ at: 'answer.by', message: 'is not a field of the form' }] }],
  [
    { amount: { $secret: 'x' } },
    { wrong: [{ at: 'answer.amount', message: 'has a key $secret, which no answer has' }] },
  ],
  [{ rejected: 'yes', amount: 5 }, { wrong: [{ at: 'answer.rejected', message: 'must be true or false' }] }],
  [
    { rejected: true, reason: 'x'.repeat(2001) },
    { wrong: [{ at: 'answer.reason', message: 'must be a text of at most 2000 characters' }] },
  ],
  ['yes', { wrong: [{ at: 'answer', message: 'must be a mapping of fields to values' }] }],
])('%j is answered to a form: %j', (given, outcome) => {
  expect(answerTo(form(amount), given)).toEqual(outcome);
});

test('a field has the default of the form, which need not be given', () => {
  const fields = { tone: { enum: ['a', 'b'], default: 'b', required: true } };
  expect(answerTo(form(fields), {})).toEqual({ result: { tone: 'b', rejected: false, reason: null } });
});

test.each<[value: Json, why: RegExp]>([
  ['yes', /must be a mapping/],
  [{ fields: [] }, /fields must be a mapping/],
  [{ fields: { by: { type: 'string' } } }, /field by has a name that every answer has/],
  [
    { fields: { pin: { type: 'string', secret: true } } },
    /field pin is secret, but answers are kept in history/,
  ],
  [{ fields: { pin: { type: 'secret' } } }, /field pin has the type "secret"/],
  [{ fields: { pin: 'string' } }, /field pin must be a mapping/],
  [{ who: ['ada'] }, /who must be a mapping/],
  [{ who: { link: 'soon' } }, /who.link must be true or a duration, got "soon"/],
  [{ who: { link: 0 } }, /who.link must be true or a duration/],
  [{ text: 'x'.repeat(70_000) }, /more than 64 KiB/],
])('%j is no form', (value, why) => {
  expect(formIn(value)).toMatch(why);
});

test.each<[who: JsonObject, read: object]>([
  [{}, { scope: 'run', tokens: [], link: null }],
  [{ link: true }, { scope: null, tokens: [], link: 604_800 }],
  [
    { link: '2h', scope: 'read' },
    { scope: 'read', tokens: [], link: 7200 },
  ],
  [{ tokens: ['ada'] }, { scope: null, tokens: ['ada'], link: null }],
])('who may answer: %j', (who, read) => {
  expect(form({}, { who }).who).toEqual(read);
});

test('what somebody types is of the type of the field, or stays text, which the check refuses', () => {
  const fields = form({
    n: { type: 'integer' },
    s: { type: 'string' },
    b: { type: 'boolean' },
    e: { enum: [1, 'x'] },
  });
  const [n, s, b, e] = formFields(fields);
  expect([valueIn(n!, ' 7 '), valueIn(n!, 'x'), valueIn(n!, '1e999')]).toEqual([7, 'x', '1e999']);
  expect([valueIn(s!, '7'), valueIn(b!, 'true'), valueIn(e!, '1'), valueIn(e!, 'y')]).toEqual([
    '7',
    true,
    1,
    'y',
  ]);
});
