import { evaluate, parseTemplate, type TemplateScope } from '../src/language/template';

const context: Record<string, unknown> = {
  workload: { a: { b: 42 } },
  outcome: { status: 'error', http: { status: 503 } },
  rows: Array.from({ length: 10 }, (_, i) => ({ id: i, name: `row ${String(i)}`, ok: i % 2 === 0 })),
};
const scope: TemplateScope = { lookup: (name) => context[name] };

/** The cost of templates, with the upper bounds of issue 4 (nanoseconds). */
const templates: readonly (readonly [name: string, source: string, bar?: number])[] = [
  ['path', '{{ workload.a.b }}', 1000],
  ['rule', "{{ outcome.status == 'error' and outcome.http.status in [429,500] }}", 5000],
  ['filter chain', "{{ rows | selectattr('ok') | map(attribute='id') | list }}"],
  ['text', "SELECT * FROM t WHERE id = {{ workload.a.b }} AND name = '{{ outcome.status }}'"],
  ['loop', '{% for row in rows %}{{ row.id }}{{ "," if not loop.last }}{% endfor %}'],
];

function nanoseconds(work: () => void, times: number): number {
  const start = process.hrtime.bigint();
  for (let i = 0; i < times; i++) work();
  return Number(process.hrtime.bigint() - start) / times;
}

/** Prints nanoseconds per parse and evaluation of typical templates: the best of five rounds. */
export async function benchTemplate(): Promise<void> {
  for (const [name, source, bar] of templates) {
    const template = parseTemplate(source);
    const best = (work: () => void, times: number): number => {
      nanoseconds(work, times / 5);
      return Math.min(...Array.from({ length: 5 }, () => nanoseconds(work, times)));
    };
    const evaluation = best(() => evaluate(template, scope), 50_000);
    const parsing = best(() => parseTemplate(source), 2_000);
    const verdict =
      bar === undefined ? '' : `  (bar ${String(bar)} ns: ${evaluation < bar ? 'met' : 'MISSED'})`;
    const columns = `${name.padEnd(14)}${evaluation.toFixed(0).padStart(8)} ns/evaluation${parsing.toFixed(0).padStart(8)} ns/parse`;
    console.log(columns + verdict);
  }
  await Promise.resolve();
}

if (require.main === module) void benchTemplate();
