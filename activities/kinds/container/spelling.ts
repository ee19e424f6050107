/** Converts `runtime` as a mapping, used in playbooks for Kubernetes, by moving its fields beside the others. */
import { isMapping, type JsonObject, type TaskCall } from '../../../src/language/plan';
import { textField } from '../../framework/tool/fields';
import { invalidInput } from '../../framework/tool/outcome';
import { KUBERNETES_FIELDS } from './kubernetes/fields';

const FIELDS: ReadonlySet<string> = new Set([
  ...KUBERNETES_FIELDS,
  'image',
  'command',
  'args',
  'env',
  'limits',
  'mounts',
  'workdir',
  'user',
  'pull',
]);

const ALIASES: Readonly<Record<string, string>> = {
  service_account_name: 'service_account',
  ttl_seconds_after_finished: 'ttl_seconds',
  image_pull_policy: 'pull',
};
const PULL_POLICIES: Readonly<Record<string, string>> = {
  ifnotpresent: 'missing',
  always: 'always',
  never: 'never',
};

/** The default runtime: `docker`, or as set by the worker's operator. */
const RUNTIME_VARIABLE = 'NOETL_CONTAINER_RUNTIME';

/**
 * The call with plain fields: `runtime` is a name, and its former fields are beside it, in snake_case.
 *
 * @throws ToolError for a field that no runtime has
 */
export function withPlainRuntime(call: TaskCall): TaskCall {
  const { runtime, ...config } = call.config;
  if (!isMapping(runtime)) {
    const name = textField(call, 'runtime') ?? (process.env[RUNTIME_VARIABLE] || 'docker');
    return { ...call, config: { ...config, runtime: name } };
  }
  const { provider = 'kubernetes', ...inside } = runtime as JsonObject;
  const fields: JsonObject = {};
  for (const [written, value] of Object.entries(inside)) {
    const snake = written.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const name = ALIASES[snake] ?? snake;
    if (!FIELDS.has(name))
      throw invalidInput(`${call.kind}: runtime has no field '${written}' (docs/tools/container.md)`);
    fields[name] = name === 'pull' ? (PULL_POLICIES[String(value).toLowerCase()] ?? value) : value;
  }
  const env = { ...mapping(fields['env']), ...mapping(config['env']) };
  return {
    ...call,
    config: { ...fields, ...config, ...(Object.keys(env).length > 0 && { env }), runtime: provider },
  };
}

function mapping(value: unknown): JsonObject {
  return isMapping(value) ? (value as JsonObject) : {};
}
