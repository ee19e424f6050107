import fs from 'node:fs';
import path from 'node:path';
import { evaluate, filterNames, globalNames, parseTemplate, references, TemplateError, testNames } from '.';
import { processorMs } from '../../../test/support/processor-time';
import { CHARGED, namesOf } from '../../../test/support/charged-templates';
import { nightlyTest } from '../../../test/support/sampled';
import { dictMethods, listMethods } from './methods/containers';
import { stringMethods } from './methods/strings';

const LIMIT = 100_000_000;
const SIZES = [0, 1, 10, 300];
const recording = path.resolve('test/fixtures/charges.json');

/** What a template is charged, and how it ends. */
function chargeOf(
  source: string,
  names: Record<string, unknown>,
  most = LIMIT,
): { units: number; end: string } {
  const budget = { left: most };
  const environment = { now: () => 1_764_090_477_000, random: () => 0.37, budget };
  let end = 'value';
  try {
    evaluate(parseTemplate(source), { lookup: (name) => names[name] }, environment);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    end = error.code;
  }
  return { units: most - budget.left, end };
}

describe('what templates are charged', () => {
  it('is what has been recorded: a change needs an engine version', () => {
    const charges = Object.fromEntries(
      CHARGED.map((source) => [
        source,
        SIZES.map((n) => Number(chargeOf(source, namesOf(n)).units.toFixed(6))),
      ]),
    );
    if (process.env['UPDATE_CHARGES']) {
      const lines = Object.entries(charges).map(
        ([source, units]) => `${JSON.stringify(source)}: ${JSON.stringify(units)}`,
      );
      fs.writeFileSync(recording, `{\n${lines.join(',\n')}\n}\n`);
    }
    expect(charges).toEqual(JSON.parse(fs.readFileSync(recording, 'utf8')));
  });

  it('is recorded for everything that the language has', () => {
    const used = CHARGED.flatMap((source) =>
      references(parseTemplate(source)).map(({ kind, root }) => `${kind} ${root}`),
    );
    const all = [
      ...filterNames.map((name) => `filter ${name}`),
      ...testNames.map((name) => `test ${name}`),
      ...globalNames.map((name) => `call ${name}`),
      ...[stringMethods, listMethods, dictMethods].flatMap(Object.keys).map((name) => `method ${name}`),
    ];
    // `is null` is read as `is none`.
    expect(all.filter((name) => !used.includes(name))).toEqual(['test null']);
  });

  nightlyTest(
    'is in line with the time it takes',
    async () => {
      const names = namesOf(5000);
      const environment = { now: () => 0, random: () => 0.37 };
      /** Processor time of a unit, in µs, at best: the machine is busy. */
      const priceOf = async (source: string, good: number): Promise<number> => {
        const template = parseTemplate(source);
        let best = Infinity;
        for (
          let times = 1, tries = 0;
          tries < 12 && best > good;
          times = Math.min(1000, times * 4), tries++
        ) {
          const budget = { left: 1e12 };
          const took = await processorMs(() => {
            for (let i = 0; i < times; i++) {
              try {
                evaluate(template, { lookup: (name) => names[name] }, { ...environment, budget });
              } catch (error) {
                if (!(error instanceof TemplateError)) throw error;
              }
            }
          });
          // What takes hardly any time is not measured; nor is beginning an evaluation.
          if (took > 1) best = Math.min(best, (took * 1000) / (1e12 - budget.left + 10 * times));
          // One long measurement may be that of a garbage collection.
          if (took > 30 && tries >= 3) break;
        }
        return best === Infinity ? 0 : best;
      };
      const ordinary = await priceOf('{% for r in rows %}{{ r.name }}{{ r.id + 1 }}{% endfor %}', 0);
      const wrong: string[] = [];
      for (const source of CHARGED) {
        let price = Infinity;
        // What looks expensive is measured again: a garbage collection is not its own.
        for (let times = 0; times < 4 && price > 150 * ordinary; times++)
          price = Math.min(price, await priceOf(source, 8 * ordinary));
        if (price > 150 * ordinary) wrong.push(`${source}: ${(price / ordinary).toFixed(1)} times`);
      }
      expect(wrong).toEqual([]);
    },
    300_000,
  );
});
