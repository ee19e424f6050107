import { compile } from './compile';
import { CODES } from './diagnostics/codes';
import { sarifLog } from './sarif';

interface Log {
  version: string;
  runs: {
    tool: { driver: { rules: { id: string; name: string; help: { text: string } }[] } };
    artifacts: unknown[];
    results: { ruleId: string; ruleIndex: number; level: string }[];
  }[];
}

const BROKEN = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: broken}
workflow:
- step: start
  tool: {kind: htp, url: a}
  next: ende
`;

function log(uri: string, text: string): Log['runs'][0] {
  return (sarifLog([{ uri, diagnostics: compile(text).diagnostics }], '1.2.3') as Log).runs[0]!;
}

test('a finding has its rule, level, message with hint, and region with exclusive ends', () => {
  const run = log('playbooks/a b.yaml', BROKEN);
  expect(run.results[0]).toEqual({
    ruleId: 'NT2050',
    ruleIndex: run.tool.driver.rules.findIndex((rule) => rule.id === 'NT2050'),
    level: 'error',
    message: { text: 'there is no tool of kind `htp` (did you mean `http`?)' },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'playbooks/a%20b.yaml', index: 0 },
          region: { startLine: 6, startColumn: 16, endLine: 6, endColumn: 19 },
        },
        logicalLocations: [{ fullyQualifiedName: 'workflow[0].tool.kind', kind: 'property' }],
      },
    ],
  });
  expect(run.results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
    ['NT2050', 'error'],
    ['NT5008', 'warning'],
    ['NT3003', 'error'],
  ]);
});

test('every code is a rule, with a name that SARIF allows and help', () => {
  const { rules } = log('a.yaml', '').tool.driver;
  expect(rules.map((rule) => rule.id)).toEqual(Object.keys(CODES).sort());
  for (const rule of rules) {
    expect(rule.name).toMatch(/^[A-Z][A-Za-z0-9]+$/);
    expect(rule.help.text.length).toBeGreaterThan(20);
  }
});

test('a finding without extent names its start only; a file: URL stays as it is', () => {
  const run = sarifLog(
    [
      {
        uri: 'file:///tmp/a%20b.yaml',
        diagnostics: [
          {
            code: 'NT1011',
            severity: 'info',
            message: 'm',
            line: 1,
            column: 1,
            endLine: 1,
            endColumn: 1,
            path: '',
          },
        ],
      },
    ],
    '1.0.0',
  ) as Log;
  expect(run.runs[0]!.results[0]).toMatchObject({
    level: 'note',
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'file:///tmp/a%20b.yaml' },
          region: { startLine: 1, startColumn: 1 },
        },
      },
    ],
  });
});
