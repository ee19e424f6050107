import { Missing } from '../../../test/support/present';
import { ask, findPython } from '../../../test/differential/oracle';
import { caseJson, Generator, type GeneratedCase } from '../../../test/differential/generate';
import { equals, evaluate, templateJson, parseTemplate, plainValue, TemplateError } from '.';

/**
 * Generated templates give what real Jinja2 gives. 1,000 by default; `DIFFERENTIAL_CASES=10000` for the long form,
 * `DIFFERENTIAL_SEED` for another series.
 */
const count = Number(process.env['DIFFERENTIAL_CASES'] ?? 1000);
const seed = Number(process.env['DIFFERENTIAL_SEED'] ?? 1);

/** Texts Python writes for what is a list here. */
const pythonOnly = /<generator|<reversed|<list_reverseiterator|dict_(items|keys|values)\(|range\(/;

interface Run {
  readonly value?: unknown;
  readonly text: string;
}

function ours({ expression, template }: GeneratedCase, context: Record<string, unknown>): Run {
  const scope = { lookup: (name: string) => (Object.hasOwn(context, name) ? context[name] : undefined) };
  const text = evaluate(parseTemplate(template ?? `x{{ ${expression!} }}`), scope) as string;
  return expression === undefined
    ? { text }
    : { text, value: evaluate(parseTemplate(`{{ ${expression} }}`), scope) };
}

describe('the same as Jinja2', () => {
  const found = findPython();
  if ('missing' in found) {
    it('generated templates', () => {
      throw new Missing({ skipped: found.missing });
    });
    return;
  }

  it(`${String(count)} generated templates`, () => {
    const generator = new Generator(seed);
    const cases = Array.from({ length: count }, () => generator.case());
    const lines = cases.map((c) => caseJson(c));
    const verdicts = ask(found.python, lines);
    expect(verdicts).toHaveLength(count);
    const differences: unknown[] = [];
    let refused = 0;
    cases.forEach((c, i) => {
      const verdict = verdicts[i]!;
      const { context } = templateJson(lines[i]!) as GeneratedCase;
      const difference = compare(c, context, verdict);
      if (verdict.error !== undefined) refused++;
      if (difference) differences.push({ case: i, line: lines[i], jinja2: verdict, ...difference });
    });
    expect(differences.slice(0, 20)).toEqual([]);
    // The comparison is worth something only while Jinja2 accepts most of the cases.
    expect(refused).toBeLessThan(count / 2);
  }, 300_000);
});

function compare(
  c: GeneratedCase,
  context: Record<string, unknown>,
  verdict: ReturnType<typeof ask>[number],
): { ours: unknown } | undefined {
  let run: Run;
  try {
    run = ours(c, context);
  } catch (error) {
    if (!(error instanceof TemplateError) || error.code === 'NT4999') throw error;
    return verdict.error === undefined ? { ours: error.message } : undefined;
  }
  // What Jinja2 refuses may have a sensible value here.
  if (verdict.error !== undefined) return undefined;
  const sameText = pythonOnly.test(verdict.text!) || run.text === verdict.text;
  const sameValue =
    c.expression === undefined || equals(run.value ?? null, plainValue(verdict.value) ?? null);
  return sameText && sameValue ? undefined : { ours: run };
}
