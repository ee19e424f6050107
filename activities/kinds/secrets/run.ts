/**
 * Tool kind `secrets`: looks up a secret, so that a missing one fails this task, and returns handles. The value does
 * not leave the worker; a task that receives a handle gets the value in its own worker, when it runs.
 */
import { randomBytes } from 'node:crypto';
import {
  compact,
  isMapping,
  type JsonObject,
  type Outcome,
  secretHandle,
  type SecretReference,
  type TaskCall,
} from '../../../src/language/plan';
import { withDeadline } from '../../framework/tool/deadline';
import { field, textField, jsonTypeName } from '../../framework/tool/fields';
import { jsonOr } from '../../../src/language/plan/json-text';
import { invalidInput, succeeded } from '../../framework/tool/outcome';
import { fetchSecret } from '../../framework/secrets/fetch';
import { type Tool, type ToolContext } from '../../framework/tool/tool';

export const secrets: Tool = {
  kind: 'secrets',
  run: (call, context) =>
    withDeadline(call, context.signal, async (deadline) => {
      try {
        return await lookUp(call, { ...context, signal: deadline.signal });
      } catch (error) {
        throw deadline.reason() ?? error;
      }
    }),
};

async function lookUp(call: TaskCall, { credentials, signal }: ToolContext): Promise<Outcome> {
  const ref = referenceOf(call);
  const { text, version } = await fetchSecret(ref, { credentials, execution_id: call.execution_id, signal });
  const id = randomBytes(16).toString('hex');
  const fields = Object.fromEntries(namesOf(text).map((name) => [name, secretHandle(id, name)]));
  const { provider, secret } = ref;
  const result: JsonObject = {
    value: secretHandle(id),
    fields,
    provider,
    secret,
    ...compact({ version }),
  };
  return succeeded(result, { meta: { secrets: { [id]: { ref } } } });
}

/** The fields that locate the secret, and nothing else. */
const PLACE = ['version', 'field', 'project', 'region', 'mount', 'kv_version'] as const;

function referenceOf(call: TaskCall): SecretReference {
  const secret = textField(call, 'secret', 'secret_name', 'key');
  if (!secret) throw invalidInput('secrets: `secret` is missing');
  const auth = field(call.config, 'auth', 'credential');
  if (auth !== undefined && typeof auth !== 'string')
    throw invalidInput(
      `secrets: auth must be the name of a credential, not ${jsonTypeName(auth)}: what is written here ends up in history`,
    );
  const place = PLACE.flatMap((name) => {
    const value = textField(call, name);
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return {
    provider: textField(call, 'provider') ?? 'credential',
    secret,
    ...(auth && { auth }),
    ...Object.fromEntries(place),
  };
}

/** The keys of a secret that is a JSON mapping: they are names, not values, and useful to know. */
function namesOf(text: string): string[] {
  const value = jsonOr(text, undefined);
  return isMapping(value) ? Object.keys(value) : [];
}
