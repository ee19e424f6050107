/** Access keys of AWS and compatible services, in the spelling used by credentials. */
import { compact, type JsonObject } from '../../../src/language/plan';
import { field } from '../tool/fields';
import { invalidInput, ToolError } from '../tool/outcome';

/** For clients of the AWS SDK, which looks up missing values itself (environment, profile, role). */
export interface AwsClientOptions {
  region?: string;
  endpoint?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

/** The SDK makes it a part of a server's name. */
const REGION = /^[a-z0-9-]{1,63}$/i;

/**
 * `{access_key_id, secret_access_key, session_token?, region?, endpoint?}`
 *
 * @throws ToolError `CREDENTIAL_INVALID` for a region that cannot be one
 */
export function awsOptions(data: JsonObject): AwsClientOptions {
  const text = (...names: string[]): string | undefined => {
    const value = field(data, ...names);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const accessKeyId = text('access_key_id', 'key_id', 'aws_access_key_id', 'access_key');
  const secretAccessKey = text('secret_access_key', 'secret_key', 'secret', 'aws_secret_access_key');
  const sessionToken = text('session_token', 'aws_session_token');
  const region = text('region', 'aws_region', 'region_name');
  const endpoint = text('endpoint', 'endpoint_url');
  if (region !== undefined && !REGION.test(region))
    throw invalidInput(`aws: a region has letters, digits and - only, not '${region}'`, 'CREDENTIAL_INVALID');
  return {
    ...compact({ region, endpoint }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && {
        credentials: { accessKeyId, secretAccessKey, ...compact({ sessionToken }) },
      }),
  };
}

/**
 * The options for a client, which uses the worker's own keys if there are none.
 *
 * @throws ToolError `NOT_AUTHENTICATED` for an endpoint without keys: the worker's own, and its session token, go to
 *   Amazon's servers, and those that `AWS_ENDPOINT_URL` of the worker names
 */
export function awsClientOptions(data: JsonObject): AwsClientOptions {
  const options = awsOptions(data);
  if (options.endpoint === undefined || options.credentials) return options;
  const message = `aws: no keys for ${options.endpoint}: where a playbook or credential names an endpoint, the credential needs access_key_id and secret_access_key (the worker's own go to Amazon only)`;
  throw new ToolError({ kind: 'auth', code: 'NOT_AUTHENTICATED', message });
}
