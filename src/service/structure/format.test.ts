import { parse } from 'yaml';
import { realPlaybooks } from '../../../test/support/real-playbooks';
import { LanguageService } from '..';

function formatted(text: string): string {
  const service = new LanguageService();
  service.openDocument('a', text);
  return service.formatted('a');
}

test('indentation and blanks are put in order; words, styles and comments stay', () => {
  const text = `# head
apiVersion:   noetl.io/v2
workflow:
- step:   'start'  # first
  tool: {kind: noop,   input: {list: [1,2]}}

# before the next
- step: "end"
  tool:
      kind: python
      code: |
          x = [ 1 ]
`;
  expect(formatted(text)).toBe(`# head
apiVersion: noetl.io/v2
workflow:
  - step: 'start' # first
    tool: { kind: noop, input: { list: [1, 2] } }

  # before the next
  - step: "end"
    tool:
      kind: python
      code: |
        x = [ 1 ]
`);
});

test('what is no YAML stays as it is', () => {
  expect(formatted('a: [1\nb: }')).toBe('a: [1\nb: }');
});

test('real playbooks mean the same, and are formatted once and for all', () => {
  for (const { name, text } of realPlaybooks('examples')) {
    const once = formatted(text);
    expect([name, parse(once)]).toEqual([name, parse(text)]);
    expect([name, formatted(once)]).toEqual([name, once]);
  }
});
