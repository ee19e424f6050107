import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');

test('docs/reference/conformance.md is what the titles of the tests say (node scripts/conformance.mjs writes it)', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/conformance.mjs', '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('every example of test/spec stands in the table', () => {
  const page = fs.readFileSync(path.join(ROOT, 'docs/reference/conformance.md'), 'utf8');
  for (const name of fs.readdirSync(__dirname).filter((each) => each.endsWith('.rehearsal.yaml'))) {
    expect(page).toContain(`[${name}](../../test/spec/${name})`);
  }
});

test('every example says what it changes of the specification and why, or that it changes nothing', () => {
  const page = fs.readFileSync(path.join(ROOT, 'docs/reference/conformance.md'), 'utf8');
  for (const name of fs.readdirSync(__dirname).filter((each) => /^S\d.*(?<!rehearsal)\.yaml$/.test(each))) {
    const [title, ...lines] = fs.readFileSync(path.join(__dirname, name), 'utf8').split('\n');
    const comments = lines.slice(
      0,
      lines.findIndex((line) => !line.startsWith('#')),
    );
    expect(title).toMatch(/^# S[1-5](,? §?[\d.]+| appendix [A-Z]),? /);
    expect(comments.filter((line) => !/^# changed: .+, because .+$/.test(line))).toEqual([]);
    expect({ name, unchanged: comments.length === 0 }).toEqual({
      name,
      unchanged: / Unchanged\.$/.test(title!),
    });
    expect(page).toContain(`[${name}](../../test/spec/${name})`);
  }
});
