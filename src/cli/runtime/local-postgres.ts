/** The credential `pg_local`: configured by the user, otherwise the embedded Postgres. */
import { type JsonObject, type Plan } from '../../language/plan';
import { type Postgres } from '../../server/store';
import { type CredentialResolver } from '../../temporal/worker';
import { mentions } from './plan-needs';

const NAME = 'pg_local';
const VARIABLE = 'NOETL_CREDENTIAL_PG_LOCAL';

/**
 * Starts the embedded Postgres if a plan or the payload names `pg_local` and no provider has it, and passes it to
 * the workers of this process in the environment. Undefined if this was not needed.
 */
export async function provideLocalPostgres(
  needs: { plans: readonly Plan[]; payload: JsonObject } | 'always',
  dataDir: string,
  credentials: CredentialResolver,
): Promise<Postgres | undefined> {
  const isNeeded = needs === 'always' || mentions(needs.plans, NAME) || mentions(needs.payload, NAME);
  if (!isNeeded || (await isConfigured(credentials))) return undefined;
  // Loaded here because most playbooks need none, and a small run would wait for the store's packages.
  const { ensureEmbeddedPostgres, forPlaybooks } = await import('../../server/store/index.js');
  const postgres = await ensureEmbeddedPostgres(dataDir);
  const local = postgres.embedded
    ? await forPlaybooks(postgres, dataDir).catch(async (error: unknown) => {
        await postgres.stop();
        throw error;
      })
    : postgres;
  process.env[VARIABLE] = JSON.stringify({ type: 'postgres', data: local.data });
  return local;
}

/** An invalid credential counts as configured too: the task will report the problem. */
async function isConfigured(credentials: CredentialResolver): Promise<boolean> {
  try {
    await credentials.resolve(NAME, { execution_id: '0' });
    return true;
  } catch (error) {
    const outcome = (error as { outcome?: { error?: { code?: string } } }).outcome;
    return outcome?.error?.code !== 'CREDENTIAL_NOT_FOUND';
  }
}
