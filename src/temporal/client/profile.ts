/**
 * Connection settings from a `temporal.toml`, as written by Temporal's own tools (`temporal config`). It is read
 * only if `TEMPORAL_CONFIG_FILE` or `TEMPORAL_PROFILE` is set: a file that merely exists in the home directory must
 * not send a local `run` to a cluster.
 */
import { EnvironmentError, messageOf } from '../../language/errors';

type Env = Record<string, string | undefined>;

/** A profile's field: its variable, and equivalent ones; if any is set, it takes precedence over the file. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  TEMPORAL_TLS_SERVER_CA_CERT: ['TEMPORAL_TLS_SERVER_CA_CERT', 'TEMPORAL_TLS_CA'],
  TEMPORAL_TLS_CLIENT_CERT: ['TEMPORAL_TLS_CLIENT_CERT', 'TEMPORAL_TLS_CERT'],
  TEMPORAL_TLS_CLIENT_KEY: ['TEMPORAL_TLS_CLIENT_KEY', 'TEMPORAL_TLS_KEY'],
};

/**
 * The profile as environment variables, without those already set.
 *
 * @throws EnvironmentError `TEMPORAL_CONFIG_INVALID` if the file or its profile cannot be read
 */
export async function profileVariables(env: Env = process.env): Promise<Record<string, string>> {
  const file = env['TEMPORAL_CONFIG_FILE'];
  const name = env['TEMPORAL_PROFILE'];
  if (!file && !name) return {};
  const { loadClientConfigProfile } = await import('@temporalio/envconfig');
  let profile: ReturnType<typeof loadClientConfigProfile>;
  try {
    profile = loadClientConfigProfile({
      ...(name && { profile: name }),
      ...(file && { configSource: { path: file } }),
      disableEnv: true,
      configFileStrict: true,
    });
  } catch (error) {
    throw new EnvironmentError(
      'TEMPORAL_CONFIG_INVALID',
      `${file ?? 'temporal.toml'}${name ? `, profile ${name}` : ''}: ${messageOf(error)}`,
      ['Check TEMPORAL_CONFIG_FILE and TEMPORAL_PROFILE (`temporal config list` shows what is in the file).'],
      { cause: error },
    );
  }
  const { tls } = profile;
  const variables: Record<string, string | undefined> = {
    TEMPORAL_ADDRESS: profile.address,
    TEMPORAL_NAMESPACE: profile.namespace,
    TEMPORAL_API_KEY: profile.apiKey,
    TEMPORAL_TLS: tls === undefined ? undefined : String(tls.disabled !== true),
    TEMPORAL_TLS_SERVER_NAME: tls?.serverName,
    ...source('TEMPORAL_TLS_SERVER_CA_CERT', tls?.serverCACert),
    ...source('TEMPORAL_TLS_CLIENT_CERT', tls?.clientCert),
    ...source('TEMPORAL_TLS_CLIENT_KEY', tls?.clientKey),
    ...Object.fromEntries(
      Object.entries(profile.grpcMeta ?? {}).map(([key, value]) => [
        `TEMPORAL_GRPC_META_${key.toUpperCase().replace(/-/g, '_')}`,
        value,
      ]),
    ),
  };
  return Object.fromEntries(
    Object.entries(variables).filter(([variable, value]) => value && !isSet(variable, env)),
  ) as Record<string, string>;
}

function source(
  variable: string,
  from: { path: string } | { data: string | Uint8Array } | undefined,
): Record<string, string> {
  if (!from) return {};
  if ('path' in from) return { [`${variable}_PATH`]: from.path };
  return {
    [`${variable}_DATA`]: typeof from.data === 'string' ? from.data : Buffer.from(from.data).toString('utf8'),
  };
}

function isSet(variable: string, env: Env): boolean {
  const field = variable.replace(/_(PATH|DATA)$/, '');
  const names = OTHER_NAMES[field];
  if (!names) return Boolean(env[variable]);
  return names.some((name) => Boolean(env[`${name}_PATH`] ?? env[`${name}_DATA`] ?? env[name]));
}
