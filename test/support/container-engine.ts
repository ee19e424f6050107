/** A real container engine for tests: the one of DOCKER_HOST, else one that container-engine.sh of EXTRAS starts. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import Docker from 'dockerode';
import { type Absent, EXTRAS, noExtra } from './present';
import { until } from './until';

export interface TestEngine {
  readonly client: Docker;
  /** For DOCKER_HOST. */
  readonly host: string;
  /** An image with busybox in it, and nothing else. */
  readonly image: string;
  stop(): void;
}

const SCRIPT = path.join(EXTRAS, 'container-engine.sh');
const BUSYBOX = '/bin/busybox';
/** Podman imports under the tag `latest`, whatever it is told. */
const IMAGE = 'localhost/noetl-busybox-3:latest';

/** A reason instead of an engine: this machine has none. */
export async function startContainerEngine(): Promise<TestEngine | Absent> {
  const found = process.env['DOCKER_HOST']
    ? { host: process.env['DOCKER_HOST'], stop: () => undefined }
    : started();
  if ('skipped' in found) return found;
  const client = new Docker({ socketPath: found.host.replace(/^unix:\/\//, '') });
  try {
    await client.ping();
    if (!fs.existsSync(BUSYBOX)) throw new Error(`${BUSYBOX} is not there, and images are made of it`);
    await importImage(client);
  } catch (error) {
    found.stop();
    return { skipped: `the container engine of ${found.host} cannot be used: ${String(error)}` };
  }
  return { client, host: found.host, image: IMAGE, stop: found.stop };
}

function started(): { host: string; stop: () => void } | Absent {
  if (!fs.existsSync(SCRIPT)) return noExtra('DOCKER_HOST, and no container-engine.sh');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-container-'));
  const env = { ...process.env, CONTAINER_ENGINE_DIR: folder };
  const said = spawnSync(SCRIPT, ['start'], {
    env,
    encoding: 'utf8',
    timeout: 280_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const host = /DOCKER_HOST=(\S+)/.exec(said.stdout)?.[1];
  if (!host)
    return { skipped: `container-engine.sh start: ${said.stderr.trim().split('\n').at(-1)}`, extra: true };
  const stop = (): void => {
    spawnSync(SCRIPT, ['stop'], { env });
    fs.rmSync(folder, { recursive: true, force: true });
  };
  return { host, stop };
}

/**
 * Podman with cgroups, which that script leaves out: limits take effect. It shares the images of the other one. Absent
 * where this process may not have one (no podman, no root, no control group of memory).
 */
export async function startLimitingEngine(): Promise<Pick<TestEngine, 'host' | 'stop'> | Absent> {
  const none: Absent = { skipped: 'no container engine with control groups', extra: true };
  if (process.getuid?.() !== 0 || !fs.existsSync('/sys/fs/cgroup/memory')) return none;
  if (spawnSync('podman', ['--version']).status !== 0) return none;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-limits-'));
  const socketPath = path.join(folder, 'podman.sock');
  fs.writeFileSync(
    path.join(folder, 'containers.conf'),
    '[containers]\ndefault_ulimits=["nofile=1024:1024","nproc=1000:1000"]\n[engine]\nruntime="crun"\ncgroup_manager="cgroupfs"\nevents_logger="file"\n',
  );
  // Podman refuses a hybrid of both versions: it gets a view of its own, without the second.
  const program =
    'mountpoint -q /sys/fs/cgroup/unified && umount /sys/fs/cgroup/unified; exec podman system service --time=0 "unix://$0"';
  const engine = spawn('unshare', ['-m', 'sh', '-c', program, socketPath], {
    stdio: 'ignore',
    // Its monitor writes a file `oom` where it stands.
    cwd: folder,
    env: { ...process.env, CONTAINERS_CONF: path.join(folder, 'containers.conf') },
  });
  const stop = (): void => {
    engine.kill('SIGKILL');
    fs.rmSync(folder, { recursive: true, force: true });
  };
  const client = new Docker({ socketPath });
  try {
    await until(async () => (await client.ping(), true));
  } catch {
    stop();
    return none;
  }
  return { host: `unix://${socketPath}`, stop };
}

/** No registry is needed: the image is busybox and links to it. */
async function importImage(client: Docker): Promise<void> {
  const isThere = await client
    .getImage(IMAGE)
    .inspect()
    .then(Boolean, () => false);
  if (isThere) return;
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-rootfs-'));
  try {
    fs.mkdirSync(path.join(root, 'bin'));
    fs.mkdirSync(path.join(root, 'tmp'));
    fs.copyFileSync(BUSYBOX, path.join(root, 'bin/busybox'));
    for (const name of ['sh', 'echo', 'cat', 'printf', 'sleep', 'env', 'touch', 'pwd', 'id'])
      fs.symlinkSync('busybox', path.join(root, 'bin', name));
    const tar = execFileSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 64 * 1024 * 1024 });
    const stream = await client.importImage(Readable.from([tar]), { repo: IMAGE.replace(/:latest$/, '') });
    await new Promise<void>((resolve, reject) =>
      client.modem.followProgress(stream, (error) => (error ? reject(error) : resolve())),
    );
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}
