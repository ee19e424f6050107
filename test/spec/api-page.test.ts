/** docs/api.md: its examples are type-checked against the built package, and print what the page says. */
import fs from 'node:fs';
import path from 'node:path';
import { API_BLOCKS, API_EXAMPLES, compiledExamples, runExample } from '../support/api-page';
import { ROOT } from '../support/process';

let examples: ReturnType<typeof compiledExamples>;
beforeAll(() => {
  examples = compiledExamples();
});
afterAll(() => examples.remove());

test('every example has an output, and types that hold', () => {
  expect(API_EXAMPLES).toHaveLength(API_BLOCKS);
  expect(examples.errors).toEqual([]);
});

test.each(API_EXAMPLES.filter(({ needs }) => needs !== 'server'))('$name prints it', async (example) => {
  expect(await runExample(examples.folder, example)).toBe(example.output);
});

test('the page names every entry of the package', () => {
  const { exports } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, unknown>;
  };
  const page = fs.readFileSync(path.join(ROOT, 'docs/api.md'), 'utf8');
  const named = [...page.matchAll(/^\| `(noetl-temporal[^`]*)` \|/gm)].map(([, entry]) => entry);
  const entries = Object.keys(exports).filter((entry) => entry !== './package.json');
  expect(named.sort()).toEqual(entries.map((entry) => path.join('noetl-temporal', entry)).sort());
});
