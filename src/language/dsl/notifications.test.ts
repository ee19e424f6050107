import fs from 'node:fs';
import path from 'node:path';
import { type JsonObject } from '../plan';
import { compile, parseNotifications, parseNotificationSettings } from './index';

const playbook = (on: string, executor = ''): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata:
  name: x
  path: etl/x
  on: ${on}
${executor}workflow: [{step: start, tool: {kind: noop}}]
`;

const ALL = `
    failed:
      - {webhook: "https://ops.example.com/hooks"}
      - {webhook: ops}
      - {chat: team}
      - {email: oncall}
    late: [{playbook: ops/late}]`;

const NAMED: JsonObject = {
  failed: [
    { webhook: 'https://ops.example.com/hooks' },
    { webhook: 'ops' },
    { chat: 'team' },
    { email: 'oncall' },
  ],
  late: [{ playbook: 'ops/late' }],
};

const LISTED = `
    failed:
      - {webhook: "https://ops.example.com/hooks", secret: ops_hook}
      - {chat: ops}
      - {email: ops@example.com}
      - {email: [a@example.com, b@example.com], smtp: mail}
    late: [{playbook: ops/late}]`;

const TARGETS: JsonObject = {
  failed: [
    { webhook: 'https://ops.example.com/hooks', secret: 'ops_hook' },
    { chat: 'ops' },
    { email: ['ops@example.com'], smtp: 'smtp' },
    { email: ['a@example.com', 'b@example.com'], smtp: 'mail' },
  ],
  late: [{ playbook: 'ops/late' }],
};

test('targets and deadline are part of the plan; tasks do not inherit the deadline', () => {
  const { plan, diagnostics } = compile(playbook(ALL, 'executor: {spec: {deadline: 1h30m}}\n'));
  expect(diagnostics).toEqual([]);
  expect(plan).toMatchObject({ on: NAMED, deadline: 5400 });
  expect(JSON.stringify(plan!.steps)).not.toContain('deadline');
  expect(compile(playbook('{}')).plan).not.toHaveProperty('on');
});

test.each([
  ['{faild: [{chat: a}]}', 'NT2001', 'faild', 'failed'],
  ['{failure: [{chat: a}]}', 'NT2001', 'failure', 'did you mean `failed`'],
  ['{success: [{chat: a}]}', 'NT2001', 'success', 'did you mean `completed`'],
  ['{failed: {chat: a}}', 'NT2003', 'list', 'write'],
  ['{failed: [{slack: a}]}', 'NT2001', 'slack', 'allowed'],
  ['{failed: [{}]}', 'NT2091', 'none', 'one target for each'],
  ['{failed: [{chat: a, email: a@b}]}', 'NT2091', 'email and chat', 'one target for each'],
  ['{failed: [{chat: a, secret: b}]}', 'NT2098', '`secret` would sign', 'remove `secret`'],
  ['{failed: [{webhook: ops, secret: b}]}', 'NT2098', '`secret` would sign', 'webhook: NAME'],
  ['{failed: [{webhook: "https://a.example/x", secret: b}]}', 'NT2098', 'for any receiver', 'operator'],
  ['{failed: [{email: oncall, smtp: mail}]}', 'NT2098', '`smtp` would send', 'email: NAME'],
  ['{failed: [{webhook: a.example/x}]}', 'NT2091', 'begin with https', 'https://'],
  ['{failed: [{webhook: "https://u:p@a.example"}]}', 'NT2091', 'user or password', 'remove'],
  ['{failed: [{email: ops@example.com}]}', 'NT2091', 'names a target', 'email: ops'],
  ['{failed: [{email: "a@b.c\\r\\nBcc: d@e.f"}]}', 'NT2091', 'names a target', 'operator'],
  ['{failed: [{playbook: ../x}]}', 'NT2062', 'the path', 'slashes'],
  ['{failed: [{chat: "{{ workload.chat }}"}]}', 'NT2003', 'a name', ''],
])('%s is refused with %s', (on, code, message, hint) => {
  const { diagnostics, plan } = compile(playbook(on), { file: 'x.yaml' });
  expect(plan).toBeUndefined();
  expect(diagnostics).toHaveLength(1);
  expect(diagnostics[0]).toMatchObject({ code, line: 6, file: 'x.yaml' });
  expect(diagnostics[0]!.message).toContain(message);
  expect(diagnostics[0]!.hint ?? '').toContain(hint);
});

test('a secret in place of the name of a credential is refused, and quoted nowhere', () => {
  const canary = 'https://hooks.slack.com/services/T000/B000/xyzzy';
  const hook = '{webhook: "https://a.example", secret: whsec_xyzzy}';
  for (const target of [`{chat: "${canary}"}`, hook]) {
    const { diagnostics } = compile(playbook(`{failed: [${target}]}`));
    expect(diagnostics).toMatchObject([{ line: 6 }]);
    const file = parseNotificationSettings(`targets: {ops: ${target}}`).diagnostics;
    expect(file).toMatchObject([{ code: 'NT2091', line: 1 }]);
    expect(JSON.stringify([diagnostics, file])).not.toContain('xyzzy');
  }
});

test.each([
  ['"{{ workload.patience }}"', 'NT2092'],
  ['0', 'NT2092'],
  ['soon', 'NT2003'],
  ['P1M', 'NT2003'],
])('the deadline %s is refused with %s', (deadline, code) => {
  const { diagnostics } = compile(playbook('{}', `executor: {spec: {deadline: ${deadline}}}\n`));
  expect(diagnostics).toMatchObject([{ code, line: 7, column: 29 }]);
});

test.each([
  ['{ops: {webhook: "https://a.example/x"}}', 'needs `secret`', 'credential'],
  ['{ops: {webhook: a.example/x, secret: b}}', 'begin with https', 'https://'],
  ['{ops: {chat: a, secret: b}}', '`secret` belongs to `webhook`', 'remove'],
  ['{ops: {email: nobody}}', 'not an e-mail address', '@'],
  ['{ops: {email: "a@b.c\\r\\nBcc: d@e.f"}}', 'not an e-mail address', '@'],
  ['{ops: {}}', 'exactly one of webhook, email, chat', 'one target'],
])('in the file of an installation, targets: %s is refused', (targets, message, hint) => {
  const { diagnostics, settings } = parseNotificationSettings(`targets: ${targets}`);
  expect(settings).toBeUndefined();
  expect(diagnostics).toMatchObject([{ code: 'NT2091' }]);
  expect(diagnostics[0]!.message).toContain(message);
  expect(diagnostics[0]!.hint ?? '').toContain(hint);
});

test('the file of an installation lists targets with their secrets, and addresses for links', () => {
  const listed = parseNotificationSettings(
    'targets:\n  ops: {webhook: "https://a.example", secret: hook}\n  oncall: {email: a@example.com}\n',
  );
  expect(listed.settings).toEqual({
    targets: {
      ops: { webhook: 'https://a.example', secret: 'hook' },
      oncall: { email: ['a@example.com'], smtp: 'smtp' },
    },
  });
  const text = `url: https://noetl.example.com/\ntemporal_ui: http://ui:8080\non: ${LISTED}\n`;
  expect(parseNotificationSettings(text)).toEqual({
    settings: { on: TARGETS, url: 'https://noetl.example.com', temporalUi: 'http://ui:8080' },
    diagnostics: [],
  });
  expect(parseNotificationSettings('url: noetl\nnope: 1\n', 'n.yaml')).toMatchObject({
    diagnostics: [
      { code: 'NT2091', file: 'n.yaml', line: 1, column: 6 },
      { code: 'NT2001', file: 'n.yaml', line: 2, column: 1 },
    ],
  });
});

test('targets of a schedule are JSON or YAML', () => {
  expect(parseNotifications('{"failed": [{"chat": "ops"}]}')).toEqual({
    on: { failed: [{ chat: 'ops' }] },
    diagnostics: [],
  });
  expect(parseNotifications('failed: [{chat: 5}]').diagnostics).toMatchObject([{ code: 'NT2003' }]);
  expect(parseNotifications('[]').diagnostics).toMatchObject([{ code: 'NT1011' }]);
});

test('what the documentation shows is accepted', () => {
  const page = fs.readFileSync(path.resolve(__dirname, '../../../docs/notifications.md'), 'utf8');
  const [shown, file, ...more] = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, text]) => text!);
  expect(more).toEqual([]);
  expect(compile(shown!)).toMatchObject({ diagnostics: [], plan: { deadline: 7200 } });
  expect(parseNotificationSettings(file!)).toMatchObject({ diagnostics: [], settings: { on: {} } });
});
