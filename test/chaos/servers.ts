/** The servers below ours: Temporal as a cluster of four services or as a dev server, and Postgres. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import pg from 'pg';
import { createDatabase } from '../../src/server/store';
import { clusterPassword, POSTGRES_USER, prepareCluster } from '../../src/server/store/postgres-cluster';
import { postgresUser } from '../../src/server/store/postgres-user';
import { ensureSearchAttributes, freePort, isListening, obtainTemporalCli } from '../../src/temporal/client';
import { serverArguments } from '../../src/temporal/server/dev-server';
import { until } from '../support/until';
import { Member, type MemberOptions } from './member';
import { isRunning } from './process-tree';

export interface Servers {
  readonly members: readonly Member[];
  /** host:port of Temporal's frontend. */
  readonly temporal: { readonly host: string; readonly port: number };
  readonly postgres: URL;
}

export interface ServersOptions {
  readonly folder: string;
  /** The script that builds and starts a cluster; a dev server without. */
  readonly clusterScript?: string;
  /** Of the frontend; the ports after it are used as well. */
  readonly clusterPort: number;
}

const NAMESPACE = 'default';
const SERVICES = ['frontend', 'history', 'matching', 'worker'] as const;
const RETENTION_SECONDS = 86_400;
const READY_LIMIT_MS = 90_000;

export async function startServers(options: ServersOptions): Promise<Servers> {
  const { members, port } = options.clusterScript
    ? await cluster(options.clusterScript, options)
    : await devServer(options.folder);
  const { member, url } = await postgres(options.folder);
  const all = [...members, member];
  try {
    for (const one of all) await one.start();
    await createDatabase(new URL('/postgres', url).href, url.pathname.slice(1));
    await namespaceReady(`127.0.0.1:${port}`);
  } catch (error) {
    for (const one of all.reverse()) await one.stop();
    throw error;
  }
  return { members: all, temporal: { host: '127.0.0.1', port }, postgres: url };
}

async function devServer(folder: string): Promise<{ members: Member[]; port: number }> {
  const [grpc, ui, binary] = [await freePort(), await freePort(), await obtainTemporalCli()];
  const database = path.join(folder, 'temporal.db');
  const args = serverArguments({ grpc, ui, namespace: NAMESPACE, database });
  const options = { name: 'temporal', role: 'temporal', command: binary.path, args } as const;
  return { members: [memberOf(folder, { ...options, ready: () => isListening(grpc) })], port: grpc };
}

async function postgres(folder: string): Promise<{ member: Member; url: URL }> {
  const password = clusterPassword(folder);
  const port = await freePort();
  const { command, args: template, cwd, uid, gid } = await prepareCluster(folder, password);
  const args = template.map((arg) => arg.replace('{port}', String(port)));
  const url = new URL(`postgres://${POSTGRES_USER}:${password}@127.0.0.1:${port}/noetl`);
  const member = memberOf(folder, {
    ...{ name: 'postgres', role: 'postgres', command, args, cwd, uid, gid, stopSignal: 'SIGINT' },
    ready: () => accepts(new URL('/postgres', url)),
  });
  return { member, url };
}

/**
 * The script starts what it knows how to start for the first time (schema, configuration); after that each of its
 * processes is ours to kill and to start.
 */
async function cluster(
  script: string,
  { folder, clusterPort: port }: ServersOptions,
): Promise<{ members: Member[]; port: number }> {
  const home = path.join(folder, 'cluster');
  fs.mkdirSync(home);
  const built =
    process.env['NOETL_CHAOS_CLUSTER_BIN'] ?? path.join(os.homedir(), '.cache/temporal-cluster/bin');
  if (fs.existsSync(built)) fs.symlinkSync(built, path.join(home, 'bin'));
  const env = { ...process.env, CLUSTER_HOME: home, CLUSTER_PORT: String(port) };
  await promisify(execFile)('bash', [script, 'start'], { env });
  const run = path.join(home, `run-${port}`);
  const pidOf = (service: string): number =>
    Number(fs.readFileSync(path.join(run, `${service}.pid`), 'utf8'));
  const cluster = [...'--config config --env cluster --allow-no-auth start --service'.split(' ')];
  const services = SERVICES.map((service, index) =>
    memberOf(folder, {
      ...{ name: service, role: 'temporal', command: path.join(home, 'bin', 'server') },
      args: ['--root', run, ...cluster, service],
      env,
      adopted: () => pidOf(service),
      ready: () => isListening(port + 2 * index),
    }),
  );
  const pid = pidOf('postgres');
  // As a child of ours: the script's has a parent that stops with it, and then never sees it end.
  const [command, ...args] = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  const database = memberOf(folder, {
    ...{ name: 'cluster-postgres', role: 'postgres', command: command!, args, ...(await postgresUser()) },
    ...{ cwd: '/', stopSignal: 'SIGINT' },
    ready: () => accepts(new URL(`postgres://postgres@127.0.0.1:${port + 10}/postgres`)),
  });
  process.kill(pid, 'SIGINT');
  await until(async () => !isRunning(pid), READY_LIMIT_MS);
  return { members: [database, ...services], port };
}

/** It listens before it has recovered from a crash. */
async function accepts(url: URL): Promise<boolean> {
  const client = new pg.Client(url.href);
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } finally {
    await client.end();
  }
}

function memberOf(folder: string, options: MemberOptions): Member {
  return new Member(options, path.join(folder, `${options.name}.log`));
}

async function namespaceReady(address: string): Promise<void> {
  const connection = await until(() => Connection.connect({ address }), READY_LIMIT_MS);
  try {
    await until(async () => {
      await connection.workflowService
        .registerNamespace({
          namespace: NAMESPACE,
          workflowExecutionRetentionPeriod: { seconds: RETENTION_SECONDS as never },
        })
        .catch(() => undefined); // it is there, as on a dev server
      await ensureSearchAttributes(connection, NAMESPACE);
      return true;
    }, READY_LIMIT_MS);
  } finally {
    await connection.close();
  }
}
