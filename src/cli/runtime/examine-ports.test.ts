import fs from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../temporal/client';
import { DEV_PORTS, ports } from './examine-ports';
import { lockForDev } from './dev-lock';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-doctor-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const facade = DEV_PORTS.find(({ of }) => of === 'REST facade')!;
const at = async (): Promise<{ port: number; close(): void }> => {
  const server = net.createServer((socket) => socket.end('220 welcome\r\n')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
};

test('ports that are free are named with what dev puts there', async () => {
  const port = await freePort();
  expect(await ports(folder, [{ ...facade, port }])).toEqual({
    status: 'ok',
    message: `free: ${port} REST facade`,
  });
});

test('a port that another program has is told with what to do', async () => {
  const stranger = await at();
  expect(await ports(folder, [{ ...facade, port: stranger.port }])).toEqual({
    status: 'note',
    message: `${stranger.port} (REST facade) is in use by another program: dev and serve need another port`,
    fix: ['noetl-temporal dev --port 8083'],
  });
  stranger.close();
});

test('a port that dev itself has is told as that', async () => {
  const ours = await at();
  const unlock = lockForDev(folder);
  expect(await ports(folder, [{ ...facade, port: ours.port, isOurs: () => Promise.resolve(true) }])).toEqual({
    status: 'ok',
    message: `dev of this data folder runs (process ${process.pid}); ${ours.port} REST facade answers`,
  });
  unlock();
  ours.close();
});
