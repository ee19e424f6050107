import fs from 'node:fs';
import path from 'node:path';
import { evaluate, parseTemplate, TemplateError } from '..';

const world = { now: () => Date.parse('2026-03-29T23:30:00Z'), random: () => 0.5 };

function value(expression: string, names: Record<string, unknown> = {}): unknown {
  return evaluate(parseTemplate(`{{ ${expression} }}`), { lookup: (name) => names[name] }, world);
}

function failure(expression: string): string {
  try {
    return String(value(expression));
  } catch (error) {
    if (error instanceof TemplateError) return `${error.code} ${error.message}`;
    throw error;
  }
}

type Answer = [zone: string, moment: number | null, local: string, offset: number | null, back: number];

test('local times and moments are those of Python, in every zone, also of the years to come', () => {
  const file = path.resolve('test/fixtures/zones/answers.json');
  const answers = JSON.parse(fs.readFileSync(file, 'utf8')) as Answer[];
  expect(answers.length).toBeGreaterThan(2000);
  const wrong = answers.filter(([zone, moment, local, offset, back]) => {
    const names = { zone, moment, local };
    if (value('(local | to_datetime(tz=zone)).timestamp()', names) !== back) return true;
    if (moment === null) return false;
    const there = value("(moment | to_datetime(tz=zone)).strftime('%Y-%m-%dT%H:%M:%S %z')", names) as string;
    const [, sign, hours, minutes] = /([-+])(\d\d)(\d\d)$/.exec(there)!;
    const east = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
    return !there.startsWith(`${local} `) || east !== offset;
  });
  expect(wrong).toEqual([]);
});

test.each([
  // Yesterday in Berlin: after midnight there, before it in UTC; the day has 23 hours.
  ["(start | to_datetime(tz='Europe/Berlin') - timedelta(days=1)).date()", '2026-03-29'],
  ['(start | to_datetime - timedelta(days=1)).date()', '2026-03-28'],
  [
    "((start | to_datetime(tz='Europe/Berlin')).replace(hour=0, minute=0, second=0) - timedelta(days=1)).isoformat()",
    '2026-03-29T00:00:00+01:00',
  ],
  ["(now() | to_datetime).astimezone('America/New_York').isoformat()", '2026-03-29T19:30:00-04:00'],
  ["now('Asia/Kolkata')", '2026-03-30T05:00:00+05:30'],
  ["start | strftime('%H:%M', tz='Europe/Berlin')", '01:30'],
  // Days are those of the calendar, hours those of the clock that does not jump.
  [
    "('2026-03-28T12:00' | to_datetime(tz='Europe/Berlin') + timedelta(days=1)).isoformat()",
    '2026-03-29T12:00:00+02:00',
  ],
  [
    "('2026-03-28T12:00' | to_datetime(tz='Europe/Berlin') + timedelta(hours=24)).isoformat()",
    '2026-03-29T13:00:00+02:00',
  ],
  ["('2026-03-29T02:30' | to_datetime(tz='Europe/Berlin')).isoformat()", '2026-03-29T03:30:00+02:00'],
  ["('2026-10-25T02:30' | to_datetime(tz='Europe/Berlin')).isoformat()", '2026-10-25T02:30:00+02:00'],
  ["('2026-03-31' | to_datetime).replace(day=1).date()", '2026-03-01'],
  ["(('2026-03-15' | to_datetime).replace(day=1) - timedelta(days=1)).replace(day=1).date()", '2026-02-01'],
  ["('2026-01-01' | to_datetime + timedelta(weeks=1) * 2).date()", '2026-01-15'],
  [
    "('2026-01-01T00:00:00.000001' | to_datetime).replace(microsecond=5).isoformat()",
    '2026-01-01T00:00:00.000005',
  ],
  ["'2026-03-30T00:30:00+02:00' | to_datetime(tz='UTC')", '2026-03-29T22:30:00+00:00'],
  ['timedelta(hours=1, minutes=30)', 5400],
  ['timedelta(days=1) == timedelta(hours=24)', true],
  ["'2045-07-01T12:00' | to_datetime(tz='Europe/Berlin')", '2045-07-01T12:00:00+02:00'],
])('%s is %s', (expression, expected) => {
  expect(value(expression, { start: '2026-03-29T23:30:00Z' })).toEqual(expected);
});

test.each([
  ["'2026-01-01' | to_datetime(tz='Europe/berlin')", "did you mean 'Europe/Berlin'?"],
  ["'2026-01-01' | to_datetime(tz='Mars')", 'is not a time zone'],
  ["'2026-01-01' | to_datetime(tz=1)", 'NT4110'],
  ["('2026-01-01' | to_datetime).astimezone('UTC')", 'to_datetime(tz='],
  ["('2026-01-31' | to_datetime).replace(month=2)", 'does not exist'],
  ["('2026-01-31' | to_datetime).replace(years=2)", "no argument 'years'"],
  ["'2026-01-31' | to_datetime + timedelta(days='x')", 'needs numbers'],
  ["'2026-01-31' | to_datetime + timedelta(days=1e12)", 'out of range'],
])('%s is an error: %s', (expression, message) => {
  expect(failure(expression)).toContain(message);
});
