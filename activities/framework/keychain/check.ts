/**
 * Checks a keychain before the first step of a run: resolves every entry, so that a missing one fails the run at once
 * and the first tasks find their values in memory. The result says where each entry came from and how long it is valid,
 * but nothing about its value.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isMapping,
  type Json,
  type JsonObject,
  KEYCHAIN_KIND,
  type Outcome,
  type TaskCall,
} from '../../../src/language/plan';
import { withDeadline } from '../tool/deadline';
import { succeeded, ToolError } from '../tool/outcome';
import { resolverOf, type SecretSources } from '../secrets/reveal';
import { type Tool, type ToolContext } from '../tool/tool';
import { type ResolvedEntry } from './resolved';

/** The secret store may be starting up as well. */
const TRIES = 4;
const WAIT_MS = 500;

/** Part of `TaskCall.config`, as written by src/engine/machine/control/keychain.ts. */
interface EntryCheck {
  readonly handle: Json;
  readonly name: string;
  readonly kind: string;
  readonly at: readonly [number, number];
  /** Fields that templates read. */
  readonly uses?: readonly string[];
  /** It may be unresolved. */
  readonly optional?: true;
}

export const keychainCheck: Tool = {
  kind: KEYCHAIN_KIND,
  keepsHandles: true,
  run: (call, context) =>
    withDeadline(call, context.signal, ({ signal }) => check(call, { ...context, signal })),
};

async function check(call: TaskCall, context: ToolContext): Promise<Outcome> {
  const requests = call.config['entries'] as unknown as readonly EntryCheck[];
  const sources = context.secrets!;
  const results = await Promise.all(
    requests.map((entry) =>
      resolved(entry, call, sources, context.signal).then(
        (value) => ({ entry, value, problem: problemOf(entry, value) }),
        (problem: unknown) => ({ entry, value: undefined, problem }),
      ),
    ),
  );
  const unknown = results.find(({ problem }) => problem !== undefined && !(problem instanceof ToolError));
  if (unknown) throw unknown.problem;
  const failures = results.flatMap(({ entry, problem }) =>
    problem instanceof ToolError && !entry.optional ? [{ entry, problem }] : [],
  );
  if (failures.length > 0) throw unresolved(failures, call.config['file']);
  const entries = results.map(({ entry: { name, kind }, value, problem }) => ({
    name,
    kind,
    source: value?.source ?? null,
    expires_at: value?.expiresAt === undefined ? null : new Date(value.expiresAt).toISOString(),
    ...(problem instanceof ToolError && { unresolved: problem.message }),
  }));
  return succeeded({ nonce: randomBytes(12).toString('hex'), entries });
}

/** Retries only errors of a busy or unreachable service. */
async function resolved(
  { handle }: EntryCheck,
  call: TaskCall,
  sources: SecretSources,
  signal: AbortSignal,
): Promise<ResolvedEntry> {
  const { $secret: id } = handle as { $secret: string };
  for (let tried = 1; ; tried++) {
    try {
      // A new one per attempt: failures are remembered for the duration of one call.
      return await resolverOf(call, sources).entry(id);
    } catch (error) {
      const isWorthIt = error instanceof ToolError && error.outcome.error!.retryable && tried < TRIES;
      if (!isWorthIt || signal.aborted) throw error;
      await sleep(WAIT_MS * 2 ** (tried - 1), undefined, { signal }).catch(() => undefined);
    }
  }
}

/** A field that a template reads and the entry does not have. */
function problemOf({ name, kind, uses = [] }: EntryCheck, { value }: ResolvedEntry): ToolError | undefined {
  const missing = uses.filter((field) => !Object.hasOwn(value, field));
  if (missing.length === 0) return undefined;
  const has = Object.keys(value).join(', ') || 'none';
  const message = `keychain entry '${name}' (${kind}): it has no field '${missing.join("', '")}', which the playbook reads; it has ${has}`;
  return new ToolError({ kind: 'not_found', code: 'SECRET_FIELD', message, entry: name });
}

/** One error for all failures: details for the first, names for the rest. */
function unresolved(
  failures: readonly { entry: EntryCheck; problem: ToolError }[],
  file: Json | undefined,
): ToolError {
  const [{ entry, problem }, ...others] = failures as [(typeof failures)[0], ...typeof failures];
  const error = problem.outcome.error!;
  const place = `${typeof file === 'string' ? `${file}:` : 'line '}${entry.at.join(':')}`;
  const prefix = error.message.startsWith('keychain entry')
    ? ''
    : `keychain entry '${entry.name}' (${entry.kind}): `;
  const more =
    others.length > 0
      ? `; also unresolved: ${others.map((other) => `'${other.entry.name}'`).join(', ')}`
      : '';
  return new ToolError({
    kind: error.kind,
    code: 'KEYCHAIN_UNRESOLVED',
    message: `${prefix}${error.message} (${place})${more}`,
    retryable: error.retryable,
    entry: entry.name,
    entries: failures.map((each) => each.entry.name),
    cause: isMapping(error) ? ({ code: error.code, message: error.message } as JsonObject) : null,
  });
}
