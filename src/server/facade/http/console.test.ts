import fs from 'node:fs';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import express from 'express';
import { consolePages } from './console';

test('every page of the console has an address that a link from elsewhere opens', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-console-'));
  fs.mkdirSync(path.join(folder, 'assets'));
  fs.writeFileSync(path.join(folder, 'index.html'), '<title>console</title>');
  const frame = fs.readFileSync(path.resolve(__dirname, '../../../../console/shell/app.tsx'), 'utf8');
  const pages = [...frame.matchAll(/^ {2}(\w+): \(\) => import\('\.\.\/.*page'\)/gm)].map(
    ([, name]) => name!,
  );
  expect(pages.length).toBeGreaterThan(8);
  const server = express().use(consolePages(folder)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const opened: Record<string, number> = {};
  // A run and a playbook are below their lists.
  for (const name of pages.filter((page) => !['run', 'playbook'].includes(page)))
    opened[name] = (await fetch(`${base}/${name}`)).status;
  server.close();
  fs.rmSync(folder, { recursive: true });
  expect(Object.entries(opened).filter(([, status]) => status !== 200)).toEqual([]);
});
