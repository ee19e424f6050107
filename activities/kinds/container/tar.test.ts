import { text } from 'node:stream/consumers';
import { archiveOf } from './tar';

test('a file that is gone is an error of the archive, also when it is read later', async () => {
  const archive = await archiveOf([{ path: '/x', source: '/no/such/file' }]);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await expect(text(archive)).rejects.toThrow('ENOENT');
});

test('an archive that is left half read harms nobody', async () => {
  const archive = await archiveOf([
    { path: '/text', text: 'x'.repeat(1_000_000) },
    { path: '/x', source: process.execPath },
  ]);
  for await (const _piece of archive) break;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(archive.destroyed).toBe(true);
});
