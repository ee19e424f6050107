import { defineExtension, succeeded } from '.';
import { extensionsOf } from './load';

const run = async () => succeeded(1);
const kind = { doc: 'Rolls a die.', fields: { sides: 'How many.' }, run };

test('the compiler gets fields and times, workers the tool', async () => {
  const close = jest.fn(() => Promise.resolve());
  const types = { sides: 'count' } as const;
  const about = { ...kind, types, required: ['sides'], strict: ['sides'], timeout: 5, close };
  const { kinds, tools } = extensionsOf([
    ['dice', defineExtension({ name: 'dice', kinds: { dice: about } })],
  ]);
  expect(kinds.get('dice')).toEqual({
    doc: 'Rolls a die.',
    fields: { sides: 'How many.' },
    required: [['sides']],
    strict: ['sides'],
    types: { sides: 'count' },
    spec: { timeout: { total: 5 } },
    closed: true,
  });
  expect(tools.map((tool) => tool.kind)).toEqual(['dice']);
  await tools[0]!.close!();
  expect(close).toHaveBeenCalledTimes(1);
});

test.each([
  [null, 'its default export is not what defineExtension({name, kinds}) returns'],
  [{ kinds: { 'a b': kind } }, '"a b" is not a valid name for a kind'],
  [{ kinds: { http: kind } }, 'http is a built-in kind; rename yours'],
  [{ kinds: { dice: 1 } }, 'the kind dice is not {doc, fields, run}'],
  [{ kinds: { dice: { ...kind, run: 'x' } } }, 'the kind dice has no function `run`'],
  [{ kinds: { dice: { ...kind, doc: undefined } } }, 'the kind dice has no `doc`'],
  [{ kinds: { dice: { ...kind, fields: ['sides'] } } }, 'the kind dice has no mapping `fields`'],
  [{ kinds: { dice: { ...kind, required: 'sides' } } }, '`required` of the kind dice is not a list'],
  [
    { kinds: { dice: { ...kind, exclusive: [['sides', 'n']] } } },
    '`exclusive` of the kind dice names n, no field of it',
  ],
  [{ kinds: { dice: { ...kind, sql: ['q'] } } }, '`sql` of the kind dice names q, no field of it'],
  [
    { kinds: { dice: { ...kind, timeout: '5' } } },
    '`timeout` of the kind dice is not a number of seconds above 0',
  ],
  [
    { kinds: { dice: { ...kind, concurrency: 0.5 } } },
    '`concurrency` of the kind dice is not a whole number above 0',
  ],
  [{ kinds: { dice: { ...kind, payload: 'rows' } } }, '`payload` of the kind dice is not {field, also}'],
  [
    { kinds: { dice: { ...kind, mock: { words: {} } } } },
    '`mock` of the kind dice is not {words, least, wrong(), bare(), outcome()}',
  ],
  [
    { kinds: { dice: { ...kind, failures: [503] } } },
    '`failures` of the kind dice is not a list of mappings, like `error` in rehearsals',
  ],
  ...[{ uses: 'x' }, { database: { schema: 'public', fold: 'lower' } }].map((lineage): [object, string] => [
    { kinds: { dice: { ...kind, lineage } } },
    '`lineage` of the kind dice is not {uses()}, or {database: {namespace(), schema, fold}}',
  ]),
  [
    { kinds: { dice: { ...kind, hints: [['X', 'do it']] } } },
    '`hints` of the kind dice is not a list of [REGULAR EXPRESSION, text]',
  ],
  [
    { kinds: { dice: { ...kind, credentials: [{ names: ['desk'], forms: [['url']] }] } } },
    '`credentials` of the kind dice is not a list of {names: [TEXT, …], forms: [[[SPELLING, …], …], …]}',
  ],
])('a module that does not keep the contract says what is wrong: %j', (module, why) => {
  expect(() => extensionsOf([['./dice.js', module]])).toThrow(
    `The extension ./dice.js cannot be used: ${why}.`,
  );
});

test('two modules cannot add one kind', () => {
  const extension = { name: 'dice', kinds: { dice: kind } };
  expect(() =>
    extensionsOf([
      ['a', extension],
      ['b', extension],
    ]),
  ).toThrow('The extension b cannot be used: another module has already added its kind dice.');
});
