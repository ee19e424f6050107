import { evaluate, parseTemplate, PRICES, TemplateError, hostWatch } from '..';

const LONG = '{% for a in range(200) %}{% for b in range(200) %}{{ a }}{% endfor %}{% endfor %}';
const environment = { now: () => 0, random: () => 0.5 };
const run = (template: string): unknown =>
  evaluate(parseTemplate(template), { lookup: () => undefined }, environment);

/** A clock on which this much passes between two looks. */
function clock(step: number): () => number {
  let now = 1_000_000;
  return () => (now += step);
}

afterEach(() => hostWatch.use(undefined));

test('an evaluation that takes longer than it is charged for ends with an error that is no error of the template', () => {
  hostWatch.use(clock(500));
  expect(() => run(LONG)).toThrow(/templates take too long: 2500 ms so far, at most 2000 ms/);
  try {
    run(LONG);
  } catch (error) {
    expect(error).not.toBeInstanceOf(TemplateError);
  }
});

test('each evaluation has its own time, unless an activation has begun', () => {
  hostWatch.use(clock(20));
  for (let i = 0; i < 10; i++) run(LONG);
  hostWatch.begin();
  expect(() => {
    for (let i = 0; i < 10; i++) run(LONG);
  }).toThrow(/take too long/);
  hostWatch.begin();
  expect(() => run(LONG)).not.toThrow();
});

test('without a clock, and in short evaluations, nothing is asked', () => {
  expect(() => run(LONG)).not.toThrow();
  hostWatch.use(() => {
    throw new Error('asked');
  });
  expect(run('{{ 1 + 1 }}')).toBe(2);
});

test('sorting, which is paid for in advance, is watched too', () => {
  hostWatch.use(clock(800));
  expect(() => run('{{ ([[1, 2, 3], [1, 2, 4]] * 2000) | sort | length }}')).toThrow(/take too long/);
});

test('an evaluation is charged by the prices it is given', () => {
  const template = parseTemplate('{{ [3, 1, 2] | sort }}');
  const unitsAt = (prices?: typeof PRICES): number => {
    const budget = { left: 1000 };
    evaluate(template, { lookup: () => undefined }, { ...environment, budget, prices });
    return 1000 - budget.left;
  };
  expect(unitsAt({ ...PRICES, sortedElement: 4 as 3 }) - unitsAt()).toBe(3 * 2);
});
