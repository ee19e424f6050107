/** Audit of credentials: who accessed them, when, for which execution, from where. Never values. */
import { type Kysely, type Selectable } from 'kysely';
import { type Tables } from '../tables';
import { type CredentialAuditTable } from './tables';

/** The accessing principal, and the purpose. */
export interface CredentialReader {
  /** Name of the token, or of the user of the command line. */
  readonly principal: string;
  /** Address or host name. */
  readonly remote?: string;
  readonly execution_id?: string;
  readonly parent_execution_id?: string;
}

const ENTRY = [
  'at',
  'action',
  'credential_id',
  'credential_name',
  'principal',
  'remote',
  'execution_id',
  'parent_execution_id',
] as const satisfies readonly (keyof CredentialAuditTable)[];

/** As `credentials audit --json` and the REST API show it. */
export type AuditEntry = Pick<Selectable<CredentialAuditTable>, (typeof ENTRY)[number]>;

export async function noteAccess(
  query: Kysely<Tables>,
  action: AuditEntry['action'],
  credential: { readonly id: string; readonly name: string },
  reader: CredentialReader,
): Promise<void> {
  await query
    .insertInto('noetl.credential_audit')
    .values({ action, credential_id: credential.id, credential_name: credential.name, ...reader })
    .execute();
}

/** Newest first. */
export async function readAudit(
  query: Kysely<Tables>,
  { name, executionId, limit = 100 }: { name?: string; executionId?: string; limit?: number },
): Promise<AuditEntry[]> {
  let statement = query.selectFrom('noetl.credential_audit').select(ENTRY).orderBy('id', 'desc').limit(limit);
  if (name !== undefined) statement = statement.where('credential_name', '=', name);
  if (executionId !== undefined) statement = statement.where('execution_id', '=', executionId);
  return await statement.execute();
}
