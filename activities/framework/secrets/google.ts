/** Google Secret Manager, through Google's client: an optional dependency. */
import { createRequire } from 'node:module';
import { compact, type JsonObject, type SecretReference } from '../../../src/language/plan';
import { serviceAccountOf } from '../credentials/google';
import { field } from '../tool/fields';
import { checkEndpoint } from '../http/metadata';
import { invalidInput, ToolError } from '../tool/outcome';
import { toolPackage } from '../tool/optional-package';
import { secretError, type SecretProvider, unreachable } from './provider';

/** The part of @google-cloud/secret-manager in use; its own types are available only where it is installed. */
interface GoogleClient {
  readonly auth: { getClient(): Promise<unknown>; getUniverseDomain(): Promise<string> };
  accessSecretVersion(
    request: { name: string },
    options: { timeout: number; retry: null },
  ): Promise<
    [{ name?: string | null; payload?: { data?: Uint8Array | string | null } | null }, ...unknown[]]
  >;
  close(): Promise<void>;
}
interface GoogleModule {
  SecretManagerServiceClient: new (options: object) => GoogleClient;
}
const PACKAGE: string = '@google-cloud/secret-manager';

/** Status codes of gRPC. */
const STATUS: Readonly<Record<number, Parameters<typeof secretError>[0]>> = {
  3: 'missing',
  5: 'missing',
  7: 'denied',
  8: 'busy',
  9: 'missing',
  14: 'unreachable',
  16: 'denied',
};
const CALL_MS = 20_000;

/**
 * `secret` is a name in `project`, or `projects/…/secrets/…[/versions/…]`. The credential: `{service_account_json}`, or
 * nothing for Google's default credentials (GOOGLE_APPLICATION_CREDENTIALS, the machine's identity). `endpoint` names
 * an emulator, host:port, which needs neither TLS nor identity.
 */
export const google: SecretProvider = async ({ ref, credential }) => {
  const { SecretManagerServiceClient } = await toolPackage(
    'secrets',
    PACKAGE,
    async () => (await import(PACKAGE)) as GoogleModule,
  );
  const data = credential?.data ?? {};
  const account = serviceAccountOf(credential);
  const project =
    field({ ...data, ...(ref as JsonObject) }, 'project', 'project_id') ?? account?.['project_id'];
  const endpoint = field(data, 'endpoint');
  await checkEndpoint('secrets', endpoint);
  const name = resourceOf(ref.secret, project, ref['version']);
  const client = new SecretManagerServiceClient({
    ...(account && { credentials: account }),
    ...(typeof project === 'string' && { projectId: project }),
    ...(typeof endpoint === 'string' && emulator(endpoint)),
  });
  try {
    if (typeof endpoint !== 'string') await identify(client, ref);
    const options = { timeout: CALL_MS, retry: null };
    const [{ name: resourceName, payload }] = await client.accessSecretVersion({ name }, options);
    const bytes = payload?.data ?? '';
    const version = /\/versions\/([^/]+)$/.exec(resourceName ?? '')?.[1];
    return {
      text: Buffer.from(bytes as Uint8Array).toString('utf8'),
      ...compact({ version }),
    };
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const { code, details } = error as { code?: number; details?: string };
    const what = code === undefined ? undefined : STATUS[code];
    if (what === 'unreachable' || code === undefined) throw unreachable(error, ref);
    throw secretError(what ?? 'failed', ref, details ?? `status ${code}`);
  } finally {
    await client.close().catch(() => undefined);
  }
};

/**
 * Call this before the first request: otherwise the client looks up its identity once for each of its methods, and
 * nothing handles the failures for those that are not called.
 *
 * @throws ToolError `SECRET_DENIED`
 */
async function identify({ auth }: GoogleClient, ref: SecretReference): Promise<void> {
  try {
    await auth.getClient();
    await auth.getUniverseDomain();
  } catch {
    const hint =
      'give `auth` a credential with service_account_json, or set GOOGLE_APPLICATION_CREDENTIALS for the worker';
    throw secretError('denied', ref, `this machine has no usable Google identity; ${hint}`);
  }
}

/** A gRPC server without TLS. The client accepts only credentials from its own copy of gRPC. */
function emulator(endpoint: string): object {
  const own = createRequire(require.resolve(PACKAGE));
  const { grpc } = own('google-gax') as { grpc: { credentials: { createInsecure(): unknown } } };
  const [host, port] = endpoint.replace(/^https?:\/\//, '').split(':');
  return { apiEndpoint: host, port: Number(port), sslCreds: grpc.credentials.createInsecure() };
}

function resourceOf(secret: string, project: unknown, version: unknown): string {
  if (!secret.startsWith('projects/') && typeof project !== 'string')
    throw invalidInput(`secrets: '${secret}' needs a project, or its full name projects/…/secrets/…`);
  const full = secret.startsWith('projects/') ? secret : `projects/${String(project)}/secrets/${secret}`;
  return full.includes('/versions/') ? full : `${full}/versions/${String(version ?? 'latest')}`;
}
