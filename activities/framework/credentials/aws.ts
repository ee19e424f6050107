/** Access keys of AWS and compatible services, in the spelling used by credentials. */
import { compact, type JsonObject } from '../../../src/plan';
import { field } from '../tool/fields';

/** For clients of the AWS SDK, which looks up missing values itself (environment, profile, role). */
export interface AwsClientOptions {
  region?: string;
  endpoint?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

/** `{access_key_id, secret_access_key, session_token?, region?, endpoint?}` */
export function awsClientOptions(data: JsonObject): AwsClientOptions {
  const text = (...names: string[]): string | undefined => {
    const value = field(data, ...names);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const accessKeyId = text('access_key_id', 'key_id', 'aws_access_key_id', 'access_key');
  const secretAccessKey = text('secret_access_key', 'secret_key', 'secret', 'aws_secret_access_key');
  const sessionToken = text('session_token', 'aws_session_token');
  const region = text('region', 'aws_region', 'region_name');
  const endpoint = text('endpoint', 'endpoint_url');
  return {
    ...compact({ region, endpoint }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && {
        credentials: { accessKeyId, secretAccessKey, ...compact({ sessionToken }) },
      }),
  };
}
