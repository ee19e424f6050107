import fs from 'node:fs';
import path from 'node:path';
import { compile } from './compile';
import { formatDiagnostics } from './diagnostics/format';

/** Real playbooks, read where they are; absent on a machine without them. */
const ROOT = path.resolve(__dirname, '../../../shared/conformance/playbooks');
const here = fs.existsSync(ROOT) ? describe : describe.skip;

function files(generation: string): string[] {
  const folder = path.join(ROOT, generation);
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .sort();
}

here.each(['current', 'v10', 'early'])('real playbooks of the generation %s', (generation) => {
  test.each(files(generation))('%s', (name) => {
    const text = fs.readFileSync(path.join(ROOT, generation, name), 'utf8');
    const { plan, diagnostics } = compile(text, { file: name });
    const errors = diagnostics.filter((each) => each.severity === 'error');
    if (name.startsWith('broken_playbooks')) {
      expect(errors[0]).toMatchObject({
        code: 'NT2051',
        line: 27,
        hint: expect.stringContaining('`command`') as string,
      });
      return;
    }
    expect(formatDiagnostics(errors, text)).toBe('');
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });
});

describe('the examples of this repository', () => {
  const folder = path.resolve(__dirname, '../../playbooks');
  test.each(fs.readdirSync(folder).filter((name) => name.endsWith('.yaml')))(
    '%s compiles without a warning',
    (name) => {
      const text = fs.readFileSync(path.join(folder, name), 'utf8');
      expect(formatDiagnostics(compile(text).diagnostics, text)).toBe('');
    },
  );
});
