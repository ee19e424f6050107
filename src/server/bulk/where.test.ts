import fc from 'fast-check';
import { cases } from '../../../test/support/properties';
import { rerunIdOf } from '../../language/plan';
import { executionQuery } from '../../temporal/client';
import { whereOf } from './where';

const NOW = Date.parse('2026-11-23T08:00:00Z');

test('terms become a filter of visibility and conditions on causes', () => {
  const where = whereOf(' path=etl/*  status=failed,cancelled code=HTTP_5*,TIMEOUT step=load since=2d ', NOW);
  expect(where).toEqual({
    filter: {
      path: 'etl/*',
      status: ['FAILED', 'CANCELLED'],
      started_after: '2026-11-21T08:00:00.000Z',
    },
    tables: {},
    codes: ['HTTP_5*', 'TIMEOUT'],
    steps: ['load'],
    called: false,
  });
  expect(executionQuery(where.filter)).toContain(
    `NoetlPlaybook STARTS_WITH 'etl/' AND StartTime >= '2026-11-21T08:00:00.000Z'`,
  );
  expect(whereOf('path=* until=2026-11-23T06:00:00+02:00 version=3 called=true', NOW)).toMatchObject({
    filter: { path: undefined, version: '3', started_before: '2026-11-23T04:00:00.000Z' },
    called: true,
  });
});

test('labels and names are search attributes; texts and inputs are for the tables', () => {
  const where = whereOf('label=team=sales,tier=1 name="load acme*" text="no such" input=customer.id=7', NOW);
  expect(where).toMatchObject({
    filter: { label: ['team=sales', 'tier=1'], name: 'load acme*' },
    tables: { text: 'no such', input: ['customer.id=7'] },
  });
  const query = executionQuery(where.filter);
  expect(query).toContain(`NoetlRunName STARTS_WITH 'load acme'`);
  expect(query).toContain(`NoetlLabels = 'team=sales' AND NoetlLabels = 'tier=1'`);
});

test.each([
  ['label=team', 'expected label=KEY=VALUE'],
  ['input=db.password=x', 'may be secret'],
  ['', 'names no condition'],
  ['failed', `'failed' is not a condition`],
  ['paths=a', `'paths=a' is not a condition`],
  ['path=', `'path=' is not a condition`],
  ['toString=1', 'is not a condition'],
  ['path=a path=b', `'path' occurs twice`],
  ['status=broken', `there is no status 'broken'`],
  ['since=yesterday', 'neither a duration'],
  ['called=maybe', 'expected true or false'],
  ['since=9999999999d', 'before 1970 or after 9999'],
  ['since=1969-12-31', 'before 1970 or after 9999'],
])('%j is refused: %s', (text, why) => {
  expect(() => whereOf(text, NOW)).toThrow(
    expect.objectContaining({ code: 'WHERE_INVALID', message: expect.stringContaining(why) as string }),
  );
});

test('ids of reruns depend on the operation and the place alone, and are as unlikely to be taken as any', () => {
  const bulk = '287146398761160704';
  const ids = Array.from({ length: 10_000 }, (_, index) => rerunIdOf(bulk, index));
  expect(new Set(ids).size).toBe(10_000);
  expect(ids.every((id) => BigInt(id) < 2n ** 62n)).toBe(true);
  // One for each millisecond after the operation's, with its random low bits.
  expect(BigInt(ids[1]!) - BigInt(ids[0]!)).toBe(2n ** 22n);
  expect(BigInt(ids[0]!) % 2n ** 22n).toBe(BigInt(bulk) % 2n ** 22n);
});

test('whatever is written is a filter, or refused with a code', () => {
  const name = fc.constantFrom(
    'path',
    'version',
    'status',
    'code',
    'step',
    'since',
    'until',
    'called',
    'x',
    '',
  );
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.string({ unit: fc.constantFrom(...'0129e+-.:dhmsTZ,*\0\ud800\udc00%\'\\"') }),
    fc.constantFrom(
      'failed',
      'true',
      '2d',
      '9999999999d',
      '1e400d',
      '-1d',
      '2026-13-01',
      '0000-00',
      '9999-12-31',
    ),
  );
  const term = fc.tuple(name, fc.constantFrom('=', '==', '', '!='), value).map((parts) => parts.join(''));
  const text = fc.array(term, { maxLength: 4 }).map((terms) => terms.join(' '));
  fc.assert(
    fc.property(text, (where) => {
      try {
        const query = executionQuery(whereOf(where, NOW).filter);
        expect(query).not.toMatch(/\0|\p{Surrogate}/u);
      } catch (error) {
        expect(['WHERE_INVALID', 'FILTER']).toContain((error as { code?: string }).code);
      }
    }),
    cases(2000),
  );
});
