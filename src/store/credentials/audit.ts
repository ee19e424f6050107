/** Audit of credentials: who accessed them, when, for which execution, from where. Never values. */
import { type Kysely } from 'kysely';
import { type Tables } from '../tables';
import { type CredentialAuditTable } from './tables';

/** The accessing principal, and the purpose. */
export interface Reader {
  /** Name of the token, or of the user of the command line. */
  readonly principal: string;
  /** Address or host name. */
  readonly remote?: string;
  readonly executionId?: string;
  readonly parentExecutionId?: string;
}

export interface AuditEntry extends Reader {
  readonly at: Date;
  readonly action: CredentialAuditTable['action'];
  readonly credentialId: string;
  readonly credentialName: string;
}

export async function note(
  query: Kysely<Tables>,
  action: AuditEntry['action'],
  credential: { readonly id: string; readonly name: string },
  reader: Reader,
): Promise<void> {
  await query
    .insertInto('noetl.credential_audit')
    .values({
      action,
      credential_id: credential.id,
      credential_name: credential.name,
      principal: reader.principal,
      remote: reader.remote ?? null,
      execution_id: reader.executionId ?? null,
      parent_execution_id: reader.parentExecutionId ?? null,
    })
    .execute();
}

/** Newest first. */
export async function readAudit(
  query: Kysely<Tables>,
  { name, executionId, limit = 100 }: { name?: string; executionId?: string; limit?: number },
): Promise<AuditEntry[]> {
  let statement = query.selectFrom('noetl.credential_audit').selectAll().orderBy('id', 'desc').limit(limit);
  if (name !== undefined) statement = statement.where('credential_name', '=', name);
  if (executionId !== undefined) statement = statement.where('execution_id', '=', executionId);
  const rows = await statement.execute();
  return rows.map((row) => ({
    at: row.at,
    action: row.action,
    credentialId: row.credential_id,
    credentialName: row.credential_name,
    principal: row.principal,
    ...(row.remote !== null && { remote: row.remote }),
    ...(row.execution_id !== null && { executionId: row.execution_id }),
    ...(row.parent_execution_id !== null && { parentExecutionId: row.parent_execution_id }),
  }));
}
