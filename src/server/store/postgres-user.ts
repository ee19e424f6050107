import { EnvironmentError } from '../../language/errors';
import { runProgram } from '../../temporal/client';

/** The system user of the Postgres process; empty if it is our own. */
export interface ProcessUser {
  readonly uid?: number;
  readonly gid?: number;
}

const USER = 'postgres';
const LIMIT_MS = 15_000;

/** Postgres refuses to run as root, so root runs it as the system user `postgres`, which is created if missing. */
export async function postgresUser(): Promise<ProcessUser> {
  if (process.getuid?.() !== 0) return {};
  const user = await lookUp();
  if (user) return user;
  const attempts = [
    ['useradd', '--system', '--user-group', '--no-create-home', USER], // shadow
    ['adduser', '-S', '-D', '-H', USER], // busybox
  ];
  for (const [program, ...args] of attempts) {
    await runProgram(program!, args, { timeoutMs: LIMIT_MS }).catch(() => undefined);
    const created = await lookUp();
    if (created) return created;
  }
  throw new EnvironmentError(
    'POSTGRES_USER',
    'Postgres does not run as root, and no system user could be created for it.',
    [`Create a system user \`${USER}\`, run as another user, or set DATABASE_URL to a server.`],
  );
}

async function lookUp(): Promise<{ uid: number; gid: number } | undefined> {
  const id = async (flag: string): Promise<number> => {
    const done = await runProgram('id', [flag, USER], { timeoutMs: LIMIT_MS }).catch(() => undefined);
    return done?.code === 0 ? Number(done.stdout.trim()) : NaN;
  };
  const [uid, gid] = await Promise.all([id('-u'), id('-g')]);
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : undefined;
}
