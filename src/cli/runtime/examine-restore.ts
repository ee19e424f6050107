/**
 * `doctor --after-restore`: whether Temporal, the tables, the result store and the keys fit together again, and what to
 * do where they do not. Nothing is changed.
 */
import { type Client } from '@temporalio/client';
import { type Pool } from 'pg';
import { openStorage, type Storage } from '../../storage/blobs';
import { payloadCodec } from '../../storage/codec';
import { messageOf } from '../../language/errors';
import { type KeyRing, knownKeyRing } from '../../storage/keyring';
import { inParallel } from '../../language/plan/in-parallel';
import { EXECUTIONS } from '../../language/plan/names';
import { addressOf, openPool } from '../../storage/postgres';
import { SEALED, sealedValues, type SealedValues } from '../../storage/sealed';
import { ensureEmbeddedPostgres } from '../../server/store';
import { eachVisible } from '../../temporal/client';
import { withClient } from './recorded-run';
import { dataFolder } from './data-folder';
import { type DoctorFinding } from './finding';
import { type Broken, brokenValues, compareTables, type RestoredTables } from './restored-parts';
import { storageLocation } from './storage';

/** Ids named in one finding. */
const SHOWN = 20;
/** Histories read at once. */
const AT_ONCE = 8;

/** @throws errors of Temporal, of the database and of the store: without one of them nothing can be said */
export async function examineRestore(data?: string): Promise<DoctorFinding[]> {
  const dataDir = dataFolder(data);
  const keys = (): KeyRing => knownKeyRing(dataDir);
  const postgres = await ensureEmbeddedPostgres(dataDir);
  const pool = openPool({ ...addressOf(postgres.url), max: AT_ONCE, connectionTimeoutMillis: 10_000 });
  const storage = await openStorage(
    storageLocation(undefined, dataDir),
    payloadCodec({ encrypt: false, keys }),
  );
  try {
    return await withClient(dataDir, storage.dataConverter, (client) =>
      findings(client, pool, storage, keys),
    );
  } finally {
    await Promise.all([pool.end(), storage.close()]);
    await postgres.stop();
  }
}

async function findings(
  client: Client,
  pool: Pool,
  storage: Storage,
  keys: () => KeyRing,
): Promise<DoctorFinding[]> {
  const open: string[] = [];
  for await (const run of eachVisible(client, `${EXECUTIONS} AND ExecutionStatus = 'Running'`))
    open.push(run.workflowId);
  const tables = await compareTables(client, pool, open);
  const sealed = sealedValues(keys, storage.results(client.options.namespace));
  const broken = await inParallel(AT_ONCE, open, (workflowId) =>
    brokenValues(client, workflowId, opening(sealed)),
  );
  return [
    { subject: 'Executions', ...executionsFinding(open.length, tables) },
    { subject: 'Tables', ...tablesFinding(tables) },
    { subject: 'Stored values', ...valuesFinding(open.length, broken.flat()) },
    { subject: 'Keys', ...(await keysFinding(pool, keys)) },
  ];
}

/** Opens a sealed value, and forgets it. */
function opening(sealed: SealedValues): (ref: { provider: string; secret: string }) => Promise<void> {
  return async (ref) => {
    if (ref.provider === SEALED) await sealed.open(ref, new AbortController().signal);
  };
}

function executionsFinding(open: number, { lost }: RestoredTables): Omit<DoctorFinding, 'subject'> {
  if (lost.length === 0)
    return {
      status: 'ok',
      message: `Temporal has every execution that is open in the tables; ${open} are open`,
    };
  return {
    status: 'missing',
    message: `${lost.length} executions are open in the tables, but Temporal does not have them: ${named(lost)}`,
    fix: [
      'they began after the backup of Temporal, and will not go on; what they did to other systems is done',
      'their playbooks and inputs: SELECT execution_id, path, version, workload FROM noetl.execution WHERE execution_id IN (…)',
      'start again what must be: noetl-temporal run PATH --server URL --payload @inputs.json',
      `then close them: UPDATE noetl.execution SET status = 'FAILED', error = 'lost by a restore', end_time = now() WHERE execution_id IN (${lost.slice(0, SHOWN).join(', ')})`,
    ],
  };
}

function tablesFinding({ ahead, behind }: RestoredTables): Omit<DoctorFinding, 'subject'> {
  const late =
    behind > 0 ? `${behind} open executions are behind their history: \`project\` catches up` : undefined;
  if (ahead.length === 0) return { status: 'ok', message: late ?? 'not ahead of history' };
  return {
    status: 'missing',
    message: `the tables have more events of ${ahead.length} executions than Temporal: ${named(ahead)}${late ? `; ${late}` : ''}`,
    fix: [
      'before workers start, because what they do now would be taken for what the tables have already',
      `noetl-temporal project --once --rebuild ${ahead.slice(0, SHOWN).join(',')}`,
      'systems that receive events (--cloudevents, --openlineage) have received events that are undone now: inform their owners',
    ],
  };
}

function valuesFinding(open: number, broken: readonly Broken[]): Omit<DoctorFinding, 'subject'> {
  if (broken.length === 0)
    return { status: 'ok', message: `all that ${open} open executions refer to can be read` };
  const lines = broken.slice(0, SHOWN).map(({ id, message }) => `${id}: ${message}`);
  return {
    status: 'missing',
    message: `${broken.length} open executions refer to values that cannot be read`,
    fix: [
      ...lines,
      'a missing value: copy it back under its key, from a copy of the store that is newer than the one of Temporal; until then the execution waits, and fails nothing',
      'a missing key: add it to NOETL_SECRETS_KEY of all processes, behind the first',
      'lost for good: temporal workflow reset to before the value, or noetl-temporal cancel ID',
    ],
  };
}

async function keysFinding(pool: Pool, keys: () => KeyRing): Promise<Omit<DoctorFinding, 'subject'>> {
  const { rows } = await pool.query<{ kid: string; names: string[] }>(
    'SELECT kid, array_agg(name ORDER BY name) AS names FROM noetl.credential GROUP BY kid ORDER BY kid',
  );
  if (rows.length === 0) return { status: 'ok', message: 'no stored credentials' };
  let here: readonly string[];
  try {
    here = keys().kids;
  } catch (error) {
    return { status: 'missing', message: messageOf(error), fix: ['restore the key ring: NOETL_SECRETS_KEY'] };
  }
  const lacking = rows.filter(({ kid }) => !here.includes(kid));
  if (lacking.length === 0)
    return { status: 'ok', message: `every stored credential has its key (${here.join(', ')})` };
  return {
    status: 'missing',
    message: lacking
      .map(
        ({ kid, names }) =>
          `the key '${kid}' is missing, which ${names.length} credentials need: ${named(names)}`,
      )
      .join('; '),
    fix: ['add it to NOETL_SECRETS_KEY, behind the first, or store these credentials again'],
  };
}

function named(all: readonly string[]): string {
  const more = all.length > SHOWN ? `, and ${all.length - SHOWN} more (--json)` : '';
  return `${all.slice(0, SHOWN).join(', ')}${more}`;
}
