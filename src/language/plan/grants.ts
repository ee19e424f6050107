/**
 * Which stored credentials a task may open: those that its call names. The workflow says so with the call, its worker
 * signs it (src/storage/codec/grants.ts), and the facade opens nothing else for a token that has no credentials of its own.
 */
import { isMapping, type Json } from './json';
import { KEYCHAIN_CHECKER, KEYCHAIN_KIND, DEFAULT_POOL } from './names';
import { type TaskCall } from './outcome';
import { type Plan } from './plan';
import { everyTask } from './tasks';
import { type SecretEntry, type Secrets } from './secret';

/** The header in which a worker presents a grant to the facade. */
export const GRANT_HEADER = 'x-noetl-grant';

/** What the workflow asks its worker to sign. */
export interface GrantRequest {
  /** The workflow that schedules the activity. */
  readonly workflow: string;
  /** The activity's id. */
  readonly task: string;
  readonly kind: string;
  readonly pool: string;
  /** Names of credentials and keychain entries, by the execution that declares them. */
  readonly opens: Readonly<Record<string, readonly string[]>>;
}

/** Fields of a task that name a credential. */
const LOGINS: readonly string[] = ['auth', 'credential', 'credentials'];
/** Fields of an entry of the keychain, and of the kind `secrets`, that name a credential or a secret. */
const SECRETS: readonly string[] = [...LOGINS, 'credential_ref', 'ref', 'key', 'secret', 'secret_name'];

function namingIn(kind: string): readonly string[] {
  return kind === KEYCHAIN_CHECKER ? SECRETS : LOGINS;
}

/** The activity to which a grant belongs. */
export type GrantedActivity = Omit<GrantRequest, 'opens'>;

/** The request for a call; undefined if it names nothing. */
export function grantRequest(
  { execution_id, task_run_id, kind, config, secrets }: TaskCall,
  workflow: string,
  pool: string | undefined,
): GrantRequest | undefined {
  const names = new Names();
  names.addNamed(execution_id, config, namingIn(kind));
  names.addSecrets(execution_id, secrets);
  return names.request({ workflow, task: task_run_id, kind, pool: pool ?? DEFAULT_POOL });
}

/** What several tasks name, and the plan by which one activity decides about the next ones (`exec: local`). */
export function grantRequestOfLease(
  activity: GrantedActivity,
  executionId: string,
  { plan, calls, secrets }: { plan: Plan; calls: readonly TaskCall[]; secrets: Secrets | undefined },
): GrantRequest | undefined {
  const names = new Names();
  for (const { name } of plan.keychain) names.add(executionId, name);
  names.addNamed(executionId, plan.keychain as unknown as Json, SECRETS);
  for (const { kind, config } of plan.steps.flatMap(everyTask))
    names.addNamed(executionId, config as unknown as Json, namingIn(kind));
  for (const call of calls) {
    names.addNamed(executionId, call.config, namingIn(call.kind));
    names.addSecrets(executionId, call.secrets);
  }
  names.addSecrets(executionId, secrets);
  return names.request(activity);
}

class Names {
  private readonly opens = new Map<string, Set<string>>();

  /** Strings in fields that name credentials, at any depth; a compiled mapping is a list of pairs (`Value`). */
  addNamed(executionId: string, value: Json, naming: readonly string[]): void {
    const isNaming = (key: Json | undefined): boolean => naming.includes(key as string);
    if (Array.isArray(value)) {
      const [key, field] = value;
      if (value.length === 2 && isNaming(key) && isMapping(field) && typeof field['const'] === 'string')
        this.add(executionId, field['const']);
      for (const item of value) this.addNamed(executionId, item, naming);
    } else if (isMapping(value))
      for (const [key, field] of Object.entries(value)) {
        if (isNaming(key) && typeof field === 'string') this.add(executionId, field);
        else this.addNamed(executionId, field as Json, naming);
      }
  }

  addSecrets(executionId: string, secrets: Secrets = {}): void {
    for (const secret of Object.values(secrets)) {
      if ('entry' in secret) this.addEntry(secret.entry);
      else if ('ref' in secret) this.addNamed(executionId, secret.ref, SECRETS);
    }
  }

  /** Its own name, for tokens that workers share, and what it is resolved with. */
  private addEntry({ name, config, execution_id }: SecretEntry): void {
    this.add(execution_id, name);
    this.addNamed(execution_id, config, SECRETS);
    const { map } = config;
    if (isMapping(map))
      for (const field of Object.values(map)) if (typeof field === 'string') this.add(execution_id, field);
  }

  request({ kind, ...activity }: GrantedActivity): GrantRequest | undefined {
    if (this.opens.size === 0) return undefined;
    const opens = Object.fromEntries([...this.opens].map(([id, names]) => [id, [...names].sort()]));
    return { ...activity, kind: kind === KEYCHAIN_KIND ? KEYCHAIN_CHECKER : kind, opens };
  }

  add(executionId: string, name: string): void {
    if (name === '' || name.length > MAX_NAME) return;
    const names = this.opens.get(executionId);
    if (names) names.add(name);
    else this.opens.set(executionId, new Set([name]));
  }
}

/** Of a credential's name. */
const MAX_NAME = 255;
