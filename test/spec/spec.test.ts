/**
 * The YAML examples of the specifications, run: `S3-5.1.yaml` is the example of S3 §5.1 with the least around it that
 * makes it a playbook (its comments `# changed: …, because …` say what is not as it stands there), `S3-5.1.rehearsal.yaml` what the specification says of it, as events and final state. The names
 * of the rehearsals carry the sections; docs/reference/conformance.md is made from them.
 */
import fs from 'node:fs';
import path from 'node:path';
import { compile, formatDiagnostics } from '../../src/language/dsl';
import { diffText, type RehearsedPlaybook, readRehearsals, runRehearsal } from '../../src/offline/rehearsal';

const files = fs.readdirSync(__dirname).filter((name) => name.endsWith('.rehearsal.yaml'));

function load(name: string): RehearsedPlaybook {
  const file = path.join(__dirname, name);
  const text = fs.readFileSync(file, 'utf8');
  const { plan, diagnostics } = compile(text, { file: name });
  return plan === undefined
    ? { file: name, problem: formatDiagnostics(diagnostics, text) }
    : { file: name, plan };
}

describe.each(files)('%s', (file) => {
  const text = fs.readFileSync(path.join(__dirname, file), 'utf8');
  const { rehearsed, diagnostics } = readRehearsals(text, { file, load });

  test('can be run', () => {
    expect(formatDiagnostics(diagnostics, text)).toBe('');
  });

  for (const rehearsal of rehearsed?.rehearsals ?? []) {
    test(rehearsal.name, () => {
      const result = runRehearsal(rehearsal, rehearsed!);
      expect(diffText(result, { rehearsal: file, playbook: rehearsed!.playbook.file })).toBe('');
    });
  }
});

test('every example has its rehearsal, and every rehearsal a section in its name', () => {
  const examples = fs.readdirSync(__dirname).filter((name) => /^S\d-[\d.]+[a-z]?\.yaml$/.test(name));
  expect(files).toEqual(examples.map((name) => name.replace('.yaml', '.rehearsal.yaml')));
  for (const file of files) {
    const names = [...fs.readFileSync(path.join(__dirname, file), 'utf8').matchAll(/^ +- name: (.*)$/gm)];
    expect(names.filter(([, name]) => !/^"?S[1-5] §\d/.test(name!))).toEqual([]);
    expect(names.length).toBeGreaterThan(0);
  }
});

test('S5 §2.3 the line left out of the example, an iterator in the args of a transition, is refused (S5 §1.2)', () => {
  const text = fs.readFileSync(path.join(__dirname, 'S5-2.3.yaml'), 'utf8');
  const line = "base_url: '{{ workload.base_url }}'\n";
  expect(text).toContain(line);
  const asWritten = text.replace(line, `${line}                city: '{{ city }}'\n`);
  const { plan, diagnostics } = compile(asWritten);
  expect(plan).toBeUndefined();
  expect(diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual([
    'NT3013',
  ]);
});
