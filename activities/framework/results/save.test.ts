import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { save } from './save';

test('what fails while its file is still being opened leaves none behind', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-save-'));
  const open = fs.open.bind(fs) as (...args: unknown[]) => void;
  let isOpened = false;
  const slow = jest.spyOn(fs, 'open').mockImplementation(((...args: unknown[]) => {
    setTimeout(() => {
      isOpened = true;
      open(...args);
    }, 50);
  }) as never);
  const next = (): Promise<never> => Promise.reject(new Error('cut'));
  const pieces = { [Symbol.asyncIterator]: () => ({ next }) };
  await expect(save('gcs', pieces, path.join(folder, 'a.bin'))).rejects.toThrow('cut');
  await sleep(100);
  expect(isOpened).toBe(true);
  expect(fs.readdirSync(folder)).toEqual([]);
  slow.mockRestore();
  fs.rmSync(folder, { recursive: true });
});
