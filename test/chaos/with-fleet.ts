/** Starts everything in a folder of its own, lets something be done with it, and ends everything. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { openStorage } from '../../src/storage/blobs';
import { Fleet } from './fleet';
import { resultsDisk } from './results-disk';
import { startServers } from './servers';
import { startTarget, type Target } from './target';

export interface Place {
  /** The script of a cluster; a dev server without. */
  readonly clusterScript?: string;
  /** Of the cluster's frontend; the ten ports after it are used as well. */
  readonly clusterPort?: number;
  /** Size of the disk of large results, where one can be mounted; default: what a fault fills quickly. */
  readonly resultsMiB?: number;
  readonly say: (line: string) => void;
}

export interface Left {
  /** Processes that were still alive when all that had started them had ended; they are killed. */
  readonly orphans: readonly string[];
  /** Processes that ended although nobody asked them to: their last words. */
  readonly ownEnds: Readonly<Record<string, readonly string[]>>;
}

const CLUSTER_PORT = 27_333;

/** The folder with the logs is removed, unless something failed or a process ended by itself. */
export async function withFleet<T>(
  { say, clusterScript, clusterPort = CLUSTER_PORT, resultsMiB }: Place,
  work: (fleet: Fleet, target: Target) => Promise<T>,
): Promise<{ value: T; left: Left }> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-chaos-'));
  fs.chmodSync(folder, 0o755); // as root, Postgres runs as its own user
  const disk = resultsDisk(folder, resultsMiB);
  const target = await startTarget();
  let fleet: Fleet | undefined;
  let isClean = false;
  try {
    say(`starting everything; logs in ${folder}`);
    fleet = new Fleet(folder, await startServers({ folder, clusterScript, clusterPort }), disk);
    await fleet.start();
    const value = await work(fleet, target);
    const orphans = await fleet.stop();
    const left = { orphans, ownEnds: ownEnds(fleet) };
    isClean = orphans.length === 0 && Object.keys(left.ownEnds).length === 0;
    return { value, left };
  } catch (error) {
    await fleet?.stop();
    throw error;
  } finally {
    await target.close();
    disk.remove();
    if (isClean) fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** A client of Temporal itself, past the proxies. */
export async function withClient<T>(
  { servers, disk }: Fleet,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { dataConverter } = await openStorage(`file://${disk.folder}`);
  const { host, port } = servers.temporal;
  const connection = await Connection.connect({ address: `${host}:${port}` });
  try {
    return await work(new Client({ connection, dataConverter }));
  } finally {
    await connection.close();
  }
}

function ownEnds({ members }: Fleet): Left['ownEnds'] {
  return Object.fromEntries(
    members.filter((member) => member.ownEnds.length > 0).map(({ name, ownEnds: ends }) => [name, ends]),
  );
}
