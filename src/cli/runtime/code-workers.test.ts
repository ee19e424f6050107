import { whyNot } from '../../../activities/framework/sandbox';
import { sandboxSecrets } from './code-workers';

jest.mock('../../../activities/framework/sandbox', () => ({ whyNot: jest.fn() }));
const possible = (why?: string): void => void (whyNot as jest.Mock).mockResolvedValue(why);

async function levelWith(kinds: readonly string[], env: Record<string, string>): Promise<string | undefined> {
  const own = { ...env } as Record<string, string | undefined>;
  await sandboxSecrets(kinds, own['NOETL_STORAGE'], own);
  return own['NOETL_SANDBOX'];
}

const TOKEN = { NOETL_TOKEN: 'noetl_x' };
const STORAGE = 'postgres://results:secret@db/results';

test.each<[string, readonly string[], Record<string, string>, string | undefined]>([
  ['python with a token', ['python'], TOKEN, 'standard'],
  ['transfers, whose DuckDB runs statements', ['transfer'], TOKEN, 'standard'],
  ['everything on lease', ['local'], TOKEN, 'standard'],
  ['one of several', ['http', 'duckdb'], TOKEN, 'standard'],
  ['shell with the password of a storage', ['shell'], { NOETL_STORAGE: STORAGE }, 'standard'],
  ['script with the key', ['script'], { NOETL_SECRETS_KEY: 'k' }, 'standard'],
  ['shell with nothing of worth', ['shell'], { NOETL_STORAGE: 's3://bucket' }, undefined],
  ['http with a token', ['http', 'postgres', 'container'], TOKEN, undefined],
  ['what the operator says', ['python'], { ...TOKEN, NOETL_SANDBOX: 'none' }, 'none'],
  ['what the operator says, again', ['python'], { ...TOKEN, NOETL_SANDBOX: 'strict' }, 'strict'],
])('%s', async (_, kinds, env, level) => {
  possible();
  expect(await levelWith(kinds, env)).toBe(level);
});

test.each<[string, readonly string[], Record<string, string>, string | undefined]>([
  ['http with a token', ['http'], TOKEN, ''],
  ['python with a token', ['python'], TOKEN, ''],
  ['postgres with the password of a storage', ['postgres'], { NOETL_STORAGE: STORAGE }, ''],
  ['http with nothing of worth', ['http'], { NOETL_STORAGE: 's3://bucket' }, undefined],
  ['what the operator says', ['http'], { ...TOKEN, NOETL_FILES: '/srv' }, '/srv'],
])('files that playbooks may name, of %s', async (_, kinds, env, files) => {
  possible();
  const own = { ...env } as Record<string, string | undefined>;
  await sandboxSecrets(kinds, own['NOETL_STORAGE'], own);
  expect(own['NOETL_FILES']).toBe(files);
});

test('where there is no sandbox, it does not start, and says why and what to do', async () => {
  possible('bubblewrap is not installed');
  const refused = sandboxSecrets(['python', 'http'], STORAGE, { ...TOKEN });
  await expect(refused).rejects.toMatchObject({
    code: 'SANDBOX_NEEDED',
    message: expect.stringContaining('python run what authors write, this one has NOETL_TOKEN, the password'),
    hint: expect.arrayContaining([expect.stringContaining('NOETL_SANDBOX=none')]),
  });
  await expect(refused).rejects.not.toThrow(/secret@/);
});
