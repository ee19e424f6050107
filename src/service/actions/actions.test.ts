import { compile } from '../../language/dsl';
import { realPlaybooks } from '../../../test/support/real-playbooks';
import { applied, LanguageService } from '..';

/** Every change that is offered anywhere in a text, by title, as the texts that it makes. */
function offers(text: string): { title: string; changed: string }[] {
  const service = new LanguageService();
  service.openDocument('a', text);
  const steps = service.symbolsOf('a').find(({ name }) => name === 'workflow')?.children ?? [];
  const places = steps.flatMap(({ at, children }) => [at.start, ...children.map((child) => child.at.start)]);
  return places.flatMap((at) =>
    service.changesAt('a', at).map(({ title, edits }) => ({ title, changed: applied(text, edits) })),
  );
}

const TEXT = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: a }
workflow:
  - step: start
    tool:
      kind: python
      code: |
        result = {"n": 1}
    next:
      arcs:
        - step: end
  - step: end
    tool: { kind: noop }
`;

test('a task that fails is tried again', () => {
  const { plan } = compile(offers(TEXT).find(({ title }) => title.startsWith('Retry'))?.changed ?? '');
  expect(plan?.steps[0]?.tasks[0]?.rules?.rules[0]?.move).toMatchObject({
    do: 'retry',
    attempts: { const: 3 },
  });
});

test('a step gets an arc for its failure, before the others', () => {
  const { plan } = compile(offers(TEXT).find(({ title }) => title.startsWith('Add'))?.changed ?? '');
  expect(plan?.steps[0]?.router?.arcs.map(({ step }) => step)).toEqual(['start_failed', 'end']);
  expect(plan?.steps.map(({ name }) => name)).toEqual(['start', 'end', 'start_failed']);
});

test('a task moves to the workbook, and does the same', () => {
  const changed = offers(TEXT).find(({ title }) => title.startsWith('Move'))?.changed ?? '';
  expect(changed).toContain(
    'workbook:\n  - name: start\n    tool:\n      kind: python\n      code: |\n        result',
  );
  expect(compile(changed).plan?.steps[0]?.tasks[0]).toMatchObject({
    kind: 'python',
    config: { const: { code: 'result = {"n": 1}\n' } },
  });
});

test('whatever is offered in a real playbook compiles', () => {
  let count = 0;
  for (const { name, text } of realPlaybooks('examples').filter((_, index) => index % 2 === 0)) {
    if (compile(text).plan === undefined) continue;
    for (const { title, changed } of offers(text)) {
      const errors = compile(changed).diagnostics.filter(({ severity }) => severity === 'error');
      expect([name, title, errors.map(({ code, line, message }) => `${code} ${line} ${message}`)]).toEqual([
        name,
        title,
        [],
      ]);
      count += 1;
    }
  }
  expect(count).toBeGreaterThan(30);
});
