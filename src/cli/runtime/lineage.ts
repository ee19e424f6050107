/** What `project --openlineage` needs besides histories: where databases are, and the playbooks of callers. */
import { type Client } from '@temporalio/client';
import { type CredentialResolver } from '../../../activities/framework/credentials';
import { toolKind } from '../../language/dsl/kinds';
import { type LineageServer } from '../../language/kinds/lineage';
import { workflowId } from '../../language/plan';
import { serverIn, type LineageSurroundings } from '../../server/projection';
import { NOETL_PLAYBOOK } from '../../temporal/client';
import { extensions } from '../extensions';
import { packageVersion } from '../output/version';

/** How long an address is used before it is looked up again: every look-up of a credential is audited. */
const FRESH_MS = 600_000;
const MAX_KEPT = 5_000;
/** In place of an execution: the audit of credentials records none. */
const NO_EXECUTION = { execution_id: 'lineage' };

export function lineageSurroundings(client: Client, credentials: CredentialResolver): LineageSurroundings {
  return {
    version: packageVersion(),
    kindOf: (kind) => toolKind(kind, extensions().kinds),
    servers: remembered(async (name): Promise<LineageServer | undefined> => {
      const credential = await credentials.resolve(name, NO_EXECUTION).catch(() => undefined);
      return credential && serverIn(credential.data);
    }),
    pathOf: remembered(async (id) => {
      const description = await client.workflow
        .getHandle(workflowId(id))
        .describe()
        .catch(() => undefined);
      return description?.typedSearchAttributes.get(NOETL_PLAYBOOK);
    }),
  };
}

function remembered<T>(ask: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const kept = new Map<string, { readonly until: number; readonly answer: Promise<T> }>();
  return (key) => {
    const entry = kept.get(key);
    if (entry && entry.until > performance.now()) return entry.answer;
    const answer = ask(key);
    kept.delete(key);
    kept.set(key, { until: performance.now() + FRESH_MS, answer });
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return answer;
  };
}
