/** The alerts and the dashboard of deploy/: their syntax, what they say of numbers, and that what they ask for exists. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { ROOT } from '../support/process';
import { present } from '../support/present';

const at = (file: string): string => path.join(ROOT, 'deploy', file);
const RULES = 'helm/noetl-temporal/files/rules.yaml';
const read = (file: string): string => fs.readFileSync(at(file), 'utf8');

interface Panel {
  readonly title: string;
  readonly id: number;
  readonly targets?: readonly { readonly expr: string }[];
}
const dashboard = JSON.parse(read('helm/noetl-temporal/files/dashboard.json')) as { panels: Panel[] };
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** @throws Missing where there is none */
function promtool(...args: string[]): { status: number | null; said: string } {
  const program = process.env['PROMTOOL'] ?? 'promtool';
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (error)
    present({ skipped: `no ${program} (Debian package prometheus; PROMTOOL names another)`, extra: true });
  return { status, said: stdout + stderr };
}

const page = fs.readFileSync(path.join(ROOT, 'docs/monitoring.md'), 'utf8');

test('every metric that the alerts and the dashboard ask for is documented, and no panel is twice', () => {
  const asked = [read(RULES), ...expressions].join('\n').match(/\b(?:noetl|temporal)_[a-z_]+/g)!;
  const names = [...new Set(asked)].map((name) => name.replace(/_(bucket|count|sum)$/, ''));
  expect(names.length).toBeGreaterThan(12);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test('every alert is explained where it points to', () => {
  const rules = read(RULES);
  const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name!);
  expect(alerts.length).toBeGreaterThan(8);
  const explained = [...page.matchAll(/^### (Noetl\w+)$/gm)].map(([, name]) => name);
  expect(explained).toEqual(alerts);
  const docs = 'https://github.com/noetl/noetl-temporal/blob/main/docs';
  const links = [...rules.matchAll(/runbook_url: (\S+)/g)].map(([, url]) => url);
  expect(links).toEqual(alerts.map((name) => `${docs}/monitoring.md#${name.toLowerCase()}`));
});

test('the alerts fire when they should, and only then', () => {
  expect(promtool('test', 'rules', at('prometheus/rules.test.yaml'))).toMatchObject({ status: 0 });
  expect(promtool('check', 'rules', at(RULES))).toMatchObject({ status: 0 });
  expect(promtool('check', 'config', '--syntax-only', at('prometheus/prometheus.yaml'))).toMatchObject({
    status: 0,
  });
});

test('Prometheus understands what the dashboard asks', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-dashboard-'));
  const rules = expressions.map((expr, index) => ({
    record: `panel:${index}`,
    expr: expr
      .replaceAll('$__rate_interval', '5m')
      .replaceAll('$__range', '6h')
      .replaceAll('$playbook', '.*'),
  }));
  const file = path.join(folder, 'panels.yaml');
  fs.writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules }] }));
  expect(promtool('check', 'rules', file)).toMatchObject({ status: 0 });
  fs.rmSync(folder, { recursive: true });
});
