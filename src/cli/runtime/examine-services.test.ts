import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { KEY_FILE } from '../../storage/keyring';
import { clockFinding } from './examine-clock';
import { database, keyFile, prioritiesFinding, unservedFinding } from './examine-services';

test('a key that others may read is told with the command that mends it', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-doctor-'));
  expect(keyFile(folder)).toBeUndefined();
  const file = path.join(folder, KEY_FILE);
  fs.writeFileSync(file, 'x', { mode: 0o600 });
  expect(keyFile(folder)).toEqual({ status: 'ok', message: file });
  fs.chmodSync(file, 0o644);
  expect(keyFile(folder)).toMatchObject({ status: 'missing', fix: [`chmod 600 ${file}`] });
  fs.rmSync(folder, { recursive: true });
});

test('a database that does not answer is told without its password', async () => {
  const before = process.env.DATABASE_URL;
  process.env.DATABASE_URL = 'postgres://me:CANARY@127.0.0.1:1/db';
  try {
    const error = (await database().catch((thrown: unknown) => thrown)) as Error & { code: string };
    expect(error).toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    expect(error.message).not.toContain('CANARY');
  } finally {
    if (before === undefined) delete process.env.DATABASE_URL;
    else process.env.DATABASE_URL = before;
  }
});

test('a server without priorities is named, because it ignores them silently', () => {
  expect(prioritiesFinding(true)).toMatchObject({ status: 'ok' });
  expect(prioritiesFinding(false)).toMatchObject({
    status: 'note',
    message: expect.stringContaining('spec.fairness') as string,
  });
});

test('kinds without workers are named with the command that serves them; amiss is what waits', () => {
  const idle = (kind: string, backlog = 0): { kind: string; backlog: number; backlogAge: number } => ({
    kind,
    backlog,
    backlogAge: 7,
  });
  expect(unservedFinding([])).toMatchObject({ status: 'ok' });
  expect(unservedFinding([idle('workflows'), idle('http'), idle('python')])).toEqual({
    status: 'note',
    message: 'no worker polls workflows, http, python',
    fix: ['noetl-temporal worker --workflows', 'noetl-temporal worker --kinds http,python'],
  });
  expect(unservedFinding([idle('workflows'), idle('http'), idle('python', 25)])).toEqual({
    status: 'missing',
    message: 'tasks wait, and no worker serves them: python (25, for 7 s)',
    fix: ['noetl-temporal worker --kinds python'],
  });
});

test.each([
  [undefined, undefined],
  [0, { status: 'ok' }],
  [-5_000, { status: 'ok' }],
  [61_000, { status: 'note', message: 'ours is 61 s behind that of the Temporal server' }],
  [-90_000, { status: 'note', message: 'ours is 90 s ahead of that of the Temporal server' }],
])('a server that is %s ms ahead', (skew, finding) => {
  if (finding === undefined) expect(clockFinding(skew)).toBeUndefined();
  else expect(clockFinding(skew)).toMatchObject(finding);
});
