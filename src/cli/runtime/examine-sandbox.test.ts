import fs from 'node:fs';
import { whyNot } from '../../../activities/framework/sandbox';
import { type Absent, present } from '../../../test/support/present';
import { without } from '../../../test/support/sandboxed';
import { sandbox } from './examine-sandbox';

const settings = { ...process.env };
afterEach(() => {
  process.env = { ...settings };
});

test('a machine without bubblewrap: a note, and missing where a sandbox is required', async () => {
  const found = await without(['bwrap'], sandbox);
  expect(found).toMatchObject({ status: 'note', fix: [expect.stringContaining('SANDBOX_UNAVAILABLE')] });
  expect(found.message).toMatch(/^none can be enforced, not required .*bubblewrap is not installed/);
  process.env['NOETL_SANDBOX'] = 'standard';
  expect(await without(['bwrap'], sandbox)).toMatchObject({
    status: 'missing',
    message: expect.stringContaining('standard required') as string,
  });
});

test('a wrong setting is said', async () => {
  process.env['NOETL_SANDBOX'] = 'yes';
  await expect(sandbox()).rejects.toMatchObject({ code: 'SANDBOX_SETTING' });
});

test('what is enforced comes with what is not, by the policy of the network', async () => {
  process.env['NOETL_SANDBOX_NETWORK'] = 'worker';
  const open = await sandbox();
  const ofTheWorker = expect.stringContaining('its network is that of the worker') as string;
  if (open.status === 'ok') expect(open.fix).toEqual(expect.arrayContaining([ofTheWorker]));
  else expect(open.message).toContain('none can be enforced');
  delete process.env['NOETL_SANDBOX_NETWORK'];
  const filtered = await sandbox();
  expect(filtered.fix).not.toEqual(expect.arrayContaining([ofTheWorker]));
  if (open.status === 'ok' && filtered.status === 'note')
    expect(filtered.message).toMatch(/^strict .*; standard cannot be enforced: /);
});

test.each([
  [
    'EACCES',
    '/dev/net/tun cannot be opened by this user (EACCES; on the machine, `chmod 0666 /dev/net/tun`)',
  ],
  ['ENOENT', '/dev/net/tun does not exist (`modprobe tun`; `--device /dev/net/tun` in Docker)'],
])(
  'a container whose /dev/net/tun answers %s enforces strict, and says what standard lacks',
  async (code, why) => {
    if ((await whyNot('standard')) !== undefined)
      return void present<Absent>({ skipped: 'no network of standard', extra: true });
    const { openSync } = fs;
    const denied = jest.spyOn(fs, 'openSync').mockImplementation((file, ...more) => {
      if (file === '/dev/net/tun') throw Object.assign(new Error(code), { code });
      return openSync(file, ...more);
    });
    await jest.isolateModulesAsync(async () => {
      const { sandbox: anew } = jest.requireActual<{ sandbox: typeof sandbox }>('./examine-sandbox');
      const { status, message } = await anew();
      expect([status, message]).toEqual([
        'note',
        expect.stringContaining(`standard cannot be enforced: ${why}`),
      ]);
    });
    denied.mockRestore();
  },
);

test('a machine with bubblewrap alone enforces strict, and says what standard lacks', async () => {
  if ((await whyNot('strict')) !== undefined)
    return void present<Absent>({ skipped: 'no sandbox', extra: true });
  process.env['NOETL_SANDBOX'] = 'standard';
  // What works is remembered, also that the network does: another process finds out anew.
  await jest.isolateModulesAsync(async () => {
    const { sandbox: anew } = jest.requireActual<{ sandbox: typeof sandbox }>('./examine-sandbox');
    expect(await without(['unshare', 'slirp4netns', 'nft'], anew)).toMatchObject({
      status: 'missing',
      message: expect.stringMatching(
        /^strict .*; standard cannot be enforced: unshare is not installed; `standard` needs/,
      ),
    });
  });
});
