/** Stand-ins of cloud services from PyPI, each in a virtual environment of its own in the cache folder. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { cacheDir } from '../../src/temporal/server/cache';
import { freePort, isListening } from '../../src/temporal';
import { type Running, start } from './process';

export interface Emulator {
  readonly url: string;
  stop(): Promise<void>;
}

const SERVERS = {
  s3: {
    packages: ['moto[server]==5.2.5'],
    command: 'moto_server',
    args: (port: number) => ['-H', '127.0.0.1', '-p', String(port)],
  },
  gcs: {
    packages: ['gcp-storage-emulator==2026.7.19'],
    command: 'gcp-storage-emulator',
    args: (port: number) => ['start', '--host', '127.0.0.1', '--port', String(port), '--in-memory'],
  },
} as const;

/** A reason instead of an emulator: PyPI cannot be reached. Anything else that goes wrong is an error. */
export async function startEmulator(name: keyof typeof SERVERS): Promise<Emulator | { skipped: string }> {
  const { packages, command, args } = SERVERS[name];
  const venv = path.join(cacheDir(), 'test-servers', packages[0].replace(/\W+/g, '-'));
  const program = path.join(venv, 'bin', command);
  if (!fs.existsSync(program)) {
    run('python3', ['-m', 'venv', venv]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages];
    const said = spawnSync(path.join(venv, 'bin', 'python'), pip, { encoding: 'utf8', timeout: 300_000 });
    if (
      said.status !== 0 &&
      /Could not find a version|connection|Temporary failure|timed out/i.test(said.stderr)
    )
      return { skipped: `PyPI cannot be reached: ${said.stderr.trim().split('\n').at(-1)}` };
    if (said.status !== 0) throw new Error(`pip install ${packages.join(' ')}: ${said.stderr}`);
  }
  const port = await freePort();
  const server: Running = start(program, args(port));
  for (const deadline = Date.now() + 30_000; !(await isListening(port));) {
    if (Date.now() > deadline || server.child.exitCode !== null)
      throw new Error(`${command} did not start: ${server.output()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.child.kill('SIGKILL');
      await server.finished;
    },
  };
}

function run(command: string, args: string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}
