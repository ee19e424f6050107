/** Checks the ports of `dev`: free, used by us, or by another program. */
import { hasCode } from '../../language/errors';
import { connect, freePort, targetOf } from '../../temporal/client';
import { devProcess } from './dev-lock';
import { type Observed } from './finding';

const LOOK_MS = 2_000;

interface Port {
  readonly port: number;
  readonly of: string;
  /** Whether the program listening there is the one that `dev` starts. */
  isOurs(port: number): Promise<boolean>;
  /** What happens if the port is taken by another program. */
  readonly instead: string;
  readonly fix?: string;
}

/** The well-known ports, in the order in which `dev` takes them. */
export const DEV_PORTS: readonly Port[] = [
  { port: 7233, of: 'Temporal', isOurs: isTemporal, instead: 'another free port will be used' },
  { port: 8233, of: 'Temporal UI', isOurs: isTemporalUi, instead: 'another free port will be used' },
  {
    port: 8082,
    of: 'REST facade',
    isOurs: isFacade,
    instead: 'dev and serve need another port',
    fix: 'noetl-temporal dev --port 8083',
  },
];

export async function ports(dataDir: string, expectedPorts: readonly Port[] = DEV_PORTS): Promise<Observed> {
  const states = await Promise.all(
    expectedPorts.map(async (one) => {
      const isFree = (await freePort(one.port)) === one.port;
      return { ...one, holder: isFree ? 'free' : (await one.isOurs(one.port)) ? 'ours' : 'strange' } as const;
    }),
  );
  const heldBy = (by: string): typeof states => states.filter(({ holder }) => holder === by);
  const name = ({ port, of }: Port): string => `${port} ${of}`;
  const strangers = heldBy('strange');
  const dev = devProcess(dataDir);
  const running = heldBy('ours').length > 0 && dev ? [`dev of this data folder runs (process ${dev})`] : [];
  const message = [
    ...running,
    ...heldBy('ours').map((one) => `${name(one)} answers`),
    ...(heldBy('free').length > 0 ? [`free: ${heldBy('free').map(name).join(', ')}`] : []),
    ...strangers.map((one) => `${one.port} (${one.of}) is in use by another program: ${one.instead}`),
  ].join('; ');
  const fix = strangers.flatMap((one) => one.fix ?? []);
  return { status: strangers.length > 0 ? 'note' : 'ok', message, ...(fix.length > 0 && { fix }) };
}

async function isTemporal(port: number): Promise<boolean> {
  try {
    const { connection } = await connect(targetOf(`127.0.0.1:${port}`), LOOK_MS);
    await connection.close();
    return true;
  } catch (error) {
    return hasCode(error, 'NAMESPACE_NOT_FOUND');
  }
}

async function isTemporalUi(port: number): Promise<boolean> {
  const settings = await look(port, '/api/v1/settings');
  return /TemporalInstance|"Codec"/.test(settings);
}

async function isFacade(port: number): Promise<boolean> {
  return /"status":"ok","version":/.test(await look(port, '/api/health'));
}

/** The response; '' if there is none in the expected form. */
async function look(port: number, path: string): Promise<string> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      redirect: 'error',
      signal: AbortSignal.timeout(LOOK_MS),
    });
    return response.ok ? (await response.text()).slice(0, 10_000) : '';
  } catch {
    return '';
  }
}
