/** Every example of the guide for models compiles and holds; llms.txt names every page. */
import fs from 'node:fs';
import path from 'node:path';
import { compile } from '../../src/language/dsl';
import { type Plan } from '../../src/language/plan';
import { readRehearsals, runRehearsal } from '../../src/offline/rehearsal';

const guide = fs.readFileSync('docs/guide-for-models.md', 'utf8');
const examples = [...guide.matchAll(/```yaml\n([^]*?)```/g)].map(([, text]) => text!);
const playbooks = examples.filter((text) => text.startsWith('apiVersion'));
const rehearsals = examples.filter((text) => text.startsWith('playbook:'));

test('every example is a playbook or a rehearsal', () => {
  expect(playbooks.length).toBeGreaterThan(1);
  expect(playbooks.length + rehearsals.length).toBe(examples.length);
});

test.each(playbooks)('it compiles without a finding: %#', (text) => {
  expect(compile(text, { strict: true }).diagnostics).toEqual([]);
});

test.each(rehearsals)('it passes: %#', (text) => {
  const load = (): { file: string; plan: Plan } => ({
    file: 'prices.yaml',
    plan: compile(playbooks[0]!).plan!,
  });
  const { rehearsed, diagnostics } = readRehearsals(text, { file: 'x', load });
  expect(diagnostics).toEqual([]);
  for (const one of rehearsed!.rehearsals) expect(runRehearsal(one, rehearsed!).problems).toEqual([]);
});

/** The list of pages in docs/README.md, for models. */
function llmsText(): string {
  const head = fs.readFileSync('docs/llms.txt', 'utf8').split('\n## Get started')[0]!.trimEnd();
  const lines = fs
    .readFileSync('docs/README.md', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const heading = /^([A-Z][^:]*):$/.exec(line)?.[1];
      if (heading !== undefined) return ['', `## ${heading}`, ''];
      return line.startsWith('- [') && !/\]\((design\/|assistants\.md)/.test(line) ? [line] : [];
    });
  const text = [head, ...lines].join('\n');
  return `${text.replace('](tools)', '](tools/README.md)').replace('](reference)', '](reference/diagnostics.md)')}\n`;
}

test('llms.txt has the pages of docs/README.md (UPDATE_REFERENCE=1 writes it)', () => {
  if (process.env['UPDATE_REFERENCE']) fs.writeFileSync('docs/llms.txt', llmsText());
  const text = fs.readFileSync('docs/llms.txt', 'utf8');
  expect(text).toBe(llmsText());
  for (const [, page] of text.matchAll(/\]\(([^)#]+)\)/g))
    expect([page, fs.existsSync(path.join('docs', page!))]).toEqual([page, true]);
});
