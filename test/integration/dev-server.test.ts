import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from 'node:child_process';
import { TypedSearchAttributes } from '@temporalio/common';
import { tellUnfinished } from '../../src/cli/runtime/unfinished';
import {
  type DevServer,
  freePort,
  isListening,
  NOETL_STATUS,
  startDevServer,
  WORKFLOW_TYPE,
} from '../../src/temporal/client';
import { type KeeperState, keeperCommand } from '../../src/temporal/server/keeper';
import { isAlive } from '../../src/temporal/server/lock';
import { until } from '../support/until';

const folders: string[] = [];
function newFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-dev-'));
  folders.push(folder);
  return folder;
}
afterAll(() => {
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
});

function stateOf(dataDir: string): KeeperState {
  return JSON.parse(
    fs.readFileSync(path.join(dataDir, 'temporal', 'temporal.state.json'), 'utf8'),
  ) as KeeperState;
}

async function toldUnfinished({ client, started }: DevServer): Promise<string[]> {
  const told: string[] = [];
  await tellUnfinished({ client, serverStarted: started }, [], (text) => told.push(text));
  return told;
}

describe('the embedded Temporal server', () => {
  test('keeps executions over a stop and a start, and knows our search attributes', async () => {
    const dataDir = newFolder();
    const first = await startDevServer({ dataDir });
    // Histories are for nobody else.
    const modes = ['temporal/temporal.db', 'temporal/temporal.log'].map(
      (file) => fs.statSync(path.join(dataDir, file)).mode & 0o077,
    );
    expect(modes).toEqual([0, 0]);
    await first.client.workflow.start('nobody-works-on-it', {
      taskQueue: 'none',
      workflowId: 'noetl-1',
      typedSearchAttributes: new TypedSearchAttributes([{ key: NOETL_STATUS, value: 'started' }]),
    });
    for (const [workflowId, startDelay] of [['noetl-2'], ['noetl-3', '1h']] as const)
      await first.client.workflow.start(WORKFLOW_TYPE, { taskQueue: 'none', workflowId, startDelay });
    const joined = await startDevServer({ dataDir });
    expect(await toldUnfinished(joined)).toEqual([]);
    await joined.stop();
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);

    const second = await startDevServer({ dataDir });
    // Nothing can be done for what waits for its time.
    expect(await toldUnfinished(second)).toEqual([
      'unfinished executions of this data folder continue here too: 2\n',
    ]);
    const found = await second.client.workflow.getHandle('noetl-1').describe();
    expect(found.status.name).toBe('RUNNING');
    expect(found.typedSearchAttributes.get(NOETL_STATUS)).toBe('started');
    await second.stop();
  });

  test('is shared by those who start it at once, and ends with the last of them', async () => {
    const dataDir = newFolder();
    const held = await Promise.all([1, 2, 3].map(() => startDevServer({ dataDir, inMemory: true })));
    expect(new Set(held.map((server) => server.address)).size).toBe(1);
    expect(held.filter((server) => server.started)).toHaveLength(1);
    await held[0]!.stop();
    await held[1]!.stop();
    await held[2]!.client.workflowService.getSystemInfo({});
    await held[2]!.stop();
    expect(isAlive(held[0]!.pid)).toBe(false);
    expect(fs.existsSync(path.join(dataDir, 'temporal', 'temporal.state.json'))).toBe(false);
  });

  test('a start during the stop waits, and starts anew', async () => {
    const dataDir = newFolder();
    const first = await startDevServer({ dataDir });
    const [, second] = await Promise.all([first.stop(), sleep(20).then(() => startDevServer({ dataDir }))]);
    expect(second.pid).not.toBe(first.pid);
    await second.client.workflowService.getSystemInfo({});
    await second.stop();
  });

  test('a server whose keeper was killed is stopped before another opens its database', async () => {
    const dataDir = newFolder();
    const first = await startDevServer({ dataDir });
    process.kill(stateOf(dataDir).keeperPid, 'SIGKILL');
    await first.ended;
    expect(isAlive(first.pid)).toBe(true);
    const second = await startDevServer({ dataDir });
    expect(second.started).toBe(true);
    expect(isAlive(first.pid)).toBe(false);
    await first.stop();
    await second.stop();
  });

  test('a state file of another program is not believed', async () => {
    const dataDir = newFolder();
    const stranger = net.createServer((socket) => socket.end('220 welcome\r\n')).listen(0, '127.0.0.1');
    await until(() => stranger.listening);
    fs.mkdirSync(path.join(dataDir, 'temporal'), { recursive: true });
    const { port } = stranger.address() as net.AddressInfo;
    const state = {
      token: 'old',
      port,
      keeperPid: 1,
      serverPid: process.pid,
      command: 'temporal',
      info: { grpc: 1 },
    };
    fs.writeFileSync(path.join(dataDir, 'temporal', 'temporal.state.json'), JSON.stringify(state));
    const server = await startDevServer({ dataDir, inMemory: true });
    expect(server.started).toBe(true);
    await server.stop();
    stranger.close();
  });

  test('a preferred port that is taken is passed over', async () => {
    const blocker = net.createServer().listen(0, '127.0.0.1');
    await until(() => blocker.listening);
    const { port } = blocker.address() as net.AddressInfo;
    const server = await startDevServer({
      dataDir: newFolder(),
      inMemory: true,
      preferredPorts: { grpc: port, ui: port },
    });
    expect(server.address).not.toBe(`127.0.0.1:${port}`);
    expect((await fetch(server.ui)).ok).toBe(true);
    await server.stop();
    blocker.close();
  });

  test('servers that begin at the same moment and prefer the same ports all live, each with its own client', async () => {
    const preferredPorts = { grpc: await freePort(), ui: await freePort() };
    const servers = await Promise.all(
      Array.from({ length: 3 }, () =>
        startDevServer({ dataDir: newFolder(), inMemory: true, preferredPorts }),
      ),
    );
    expect(new Set(servers.map((one) => one.address)).size).toBe(3);
    for (const server of servers) {
      expect(isAlive(server.pid)).toBe(true);
      expect((await fetch(server.ui)).ok).toBe(true);
    }
    await Promise.all(servers.map((one) => one.stop()));
  });

  test('no other folder gets the port of a server that was killed before its holders have left', async () => {
    const preferredPorts = { grpc: await freePort(), ui: await freePort() };
    const start = (): Promise<DevServer> =>
      startDevServer({ dataDir: newFolder(), inMemory: true, preferredPorts });
    const killed = await start();
    process.kill(killed.pid, 'SIGKILL');
    await killed.ended;
    const other = await start();
    expect(other.address).not.toBe(killed.address);
    await Promise.all([killed.stop(), other.stop()]);
    const { grpc } = preferredPorts;
    await until(async () => (await freePort(grpc)) === grpc);
    const later = await start();
    expect(later.address).toBe(killed.address);
    await later.stop();
  });

  test('a program that ends at once is reported with its last words', async () => {
    const dataDir = newFolder();
    const binary = path.join(dataDir, 'temporal-broken');
    fs.writeFileSync(binary, '#!/bin/sh\necho "no such flag"\nexit 3\n', { mode: 0o755 });
    await expect(startDevServer({ dataDir, binary: { path: binary, how: 'test' } })).rejects.toMatchObject({
      code: 'SERVICE_ENDED',
      message: expect.stringContaining('no such flag') as string,
    });
  });
});

test('a server does not outlive a holder that was killed', async () => {
  const folder = newFolder();
  const stateFile = path.join(folder, 'state.json');
  const { args, env } = keeperCommand({
    command: process.execPath,
    args: ['-e', 'setInterval(() => {}, 1000)'],
    logFile: path.join(folder, 'log'),
    stateFile,
    token: 'secret',
    info: {},
    stopSignal: 'SIGTERM',
    stopLimitMs: 2_000,
    firstHolderMs: 10_000,
    portRange: [15_000, 32_000],
  });
  const keeper = spawn(process.execPath, args, { env, stdio: 'ignore' });
  await until(() => fs.existsSync(stateFile));
  const state = JSON.parse(fs.readFileSync(stateFile, 'utf8')) as KeeperState;
  const holder = spawn(process.execPath, [
    '-e',
    `require('net').connect(${state.port}, '127.0.0.1').on('data', () => process.stdout.write('held')).write('secret')`,
  ]);
  await new Promise((resolve) => holder.stdout.once('data', resolve));
  expect(isAlive(state.serverPid)).toBe(true);
  holder.kill('SIGKILL');
  await until(() => !isAlive(state.serverPid));
  await until(() => keeper.exitCode !== null);
  expect(await isListening(state.port)).toBe(false);
});
