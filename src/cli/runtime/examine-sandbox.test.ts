import { sandbox } from './examine-sandbox';

const settings = { ...process.env };
afterEach(() => {
  process.env = { ...settings };
});

test('a machine without bubblewrap: a note, and missing where a sandbox is required', async () => {
  process.env['PATH'] = '/nonexistent';
  const found = await sandbox();
  expect(found).toMatchObject({ status: 'note', fix: [expect.stringContaining('SANDBOX_UNAVAILABLE')] });
  expect(found.found).toMatch(/^none can be enforced, not required .*bubblewrap is not installed/);
  process.env['NOETL_SANDBOX'] = 'standard';
  expect(await sandbox()).toMatchObject({
    status: 'missing',
    found: expect.stringContaining('standard required') as string,
  });
});

test('a wrong setting is said', async () => {
  process.env['NOETL_SANDBOX'] = 'yes';
  await expect(sandbox()).rejects.toMatchObject({ code: 'SANDBOX_SETTING' });
});

test('what is enforced comes with what is not', async () => {
  const found = await sandbox();
  const network = expect.stringContaining('its network is that of the worker') as string;
  if (found.status === 'ok') expect(found.fix).toEqual(expect.arrayContaining([network]));
  else expect(found.found).toContain('none can be enforced');
});
