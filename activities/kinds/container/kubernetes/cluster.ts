/**
 * The cluster of a task, through the official client: from its credential, otherwise KUBECONFIG, otherwise the one
 * this worker runs in, otherwise ~/.kube/config.
 */
import { shortenedText } from '../../../framework/tool/bounded';
import { existsSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type * as Kubernetes from '@kubernetes/client-node' with { 'resolution-mode': 'import' };
import { type Json, type JsonObject, isMapping } from '../../../../src/language/plan';
import { asError } from '../../../framework/tool/cause';
import { type Credential } from '../../../framework/credentials';
import { checkEndpoint } from '../../../framework/http/metadata';
import { toolPackage } from '../../../framework/tool/optional-package';
import { ToolError } from '../../../framework/tool/outcome';
import { workerFile } from '../../../framework/tool/worker-files';

/** Timeout of a request to the API; a log is followed as long as the container runs. */
const REQUEST_MS = 30_000;

export interface Cluster {
  /** Its address, for messages. */
  readonly server: string;
  /** The namespace of Jobs unless the task sets one. */
  readonly namespace: string;
  /** @param signal aborts all requests */
  apis(signal: AbortSignal): { readonly batch: Kubernetes.BatchV1Api; readonly core: Kubernetes.CoreV1Api };
  /** Writes the log into `into`, from its first line until the container ends. */
  follow(
    log: { readonly namespace: string; readonly pod: string; readonly container: string },
    into: Writable,
    signal: AbortSignal,
  ): Promise<void>;
}

type Client = typeof Kubernetes;

/** @throws ToolError `PACKAGE_MISSING`, `CREDENTIAL_INVALID`, `CLUSTER_UNKNOWN`, `FILE_REFUSED`, `ADDRESS_DENIED` */
export async function clusterOf(credential: Credential | undefined): Promise<Cluster> {
  const client = await toolPackage(
    'container',
    '@kubernetes/client-node',
    () => import('@kubernetes/client-node'),
  );
  const config = new client.KubeConfig();
  if (credential) fromCredential(config, credential, client);
  else fromSurroundings(config);
  const cluster = config.getCurrentCluster();
  if (!cluster) throw unusable(credential, 'its current context names no cluster');
  if (cluster.server.startsWith('http:') && cluster.skipTLSVerify !== true)
    throw unusable(credential, 'its server is http: say insecure-skip-tls-verify: true to mean it');
  if (credential) await checkEndpoint('container', cluster.server);
  return new ConnectedCluster(
    client,
    config,
    cluster.server.replace(/\/+$/, ''),
    namespaceOf(config, credential),
  );
}

class ConnectedCluster implements Cluster {
  constructor(
    private readonly client: Client,
    private readonly config: Kubernetes.KubeConfig,
    readonly server: string,
    readonly namespace: string,
  ) {}

  apis(signal: AbortSignal): { batch: Kubernetes.BatchV1Api; core: Kubernetes.CoreV1Api } {
    const stoppable = {
      pre: async (request: Kubernetes.RequestContext) => {
        request.setSignal(AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]));
        return request;
      },
      post: async (response: Kubernetes.ResponseContext) => response,
    };
    const configuration = this.client.createConfiguration({
      baseServer: new this.client.ServerConfiguration(this.server, {}),
      authMethods: { default: this.config },
      promiseMiddleware: [stoppable],
    });
    return {
      batch: new this.client.BatchV1Api(configuration),
      core: new this.client.CoreV1Api(configuration),
    };
  }

  /** Does not use the client's `Log`, which does not report when a log breaks off. */
  async follow(
    { namespace, pod, container }: Parameters<Cluster['follow']>[0],
    into: Writable,
    signal: AbortSignal,
  ): Promise<void> {
    const { agent, headers } = (await this.config.applyToFetchOptions({})) as {
      agent?: http.Agent;
      headers: Iterable<[string, string]>;
    };
    const url = new URL(`${this.server}/api/v1/namespaces/${namespace}/pods/${pod}/log`);
    url.search = String(new URLSearchParams({ container, follow: 'true' }));
    const get = url.protocol === 'http:' ? http.get : https.get;
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      get(url, { agent, headers: Object.fromEntries(headers), signal }, resolve).on('error', reject);
    });
    if (response.statusCode !== 200) {
      const body = await textOf(response);
      throw Object.assign(new Error(body), { code: response.statusCode, body });
    }
    await pipeline(response, into, { signal });
  }
}

async function textOf(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return shortenedText(Buffer.concat(chunks).toString('utf8'), 4000);
}

function fromSurroundings(config: Kubernetes.KubeConfig): void {
  const file = path.join(process.env['HOME'] ?? os.homedir(), '.kube', 'config');
  try {
    if (process.env['KUBECONFIG']) return config.loadFromDefault();
    if (process.env['KUBERNETES_SERVICE_HOST']) return config.loadFromCluster();
    if (existsSync(file)) return config.loadFromFile(file);
  } catch (error) {
    throw unusable(undefined, asError(error).message);
  }
  throw new ToolError({
    kind: 'validation',
    code: 'CLUSTER_UNKNOWN',
    message:
      'container: no Kubernetes cluster is configured; name a credential (auth: {kubeconfig} or {server, token, ca}), or give the worker KUBECONFIG, ' +
      'or run it in the cluster',
  });
}

/** Where a kubeconfig names a file: the client reads it from the worker's disk, and sends it. */
const FILES = {
  clusters: ['cluster', 'certificate-authority'],
  users: ['user', 'client-certificate', 'client-key', 'token-file'],
};

/** As JSON, so that the client reads what was looked at. @throws ToolError `FILE_REFUSED` */
function kubeconfigOf(written: Json, { loadYaml }: Client): string {
  const config: unknown = typeof written === 'string' ? loadYaml(written) : written;
  if (!isMapping(config)) throw new Error('not a mapping');
  for (const [list, [part = '', ...names]] of Object.entries(FILES)) {
    const items = Array.isArray(config[list]) ? (config[list] as Json[]) : [];
    for (const one of items.flatMap((item) => (isMapping(item) ? [(item as JsonObject)[part]] : [])))
      for (const name of names)
        if (isMapping(one) && (one as JsonObject)[name] !== undefined)
          workerFile('container', String((one as JsonObject)[name]));
  }
  return JSON.stringify(config);
}

/** `{kubeconfig, context?}`, or `{server, token | cert + key | username + password, ca?, verify?}`; `namespace` with either. */
function fromCredential(config: Kubernetes.KubeConfig, credential: Credential, client: Client): void {
  const { data } = credential;
  const kubeconfig = data['kubeconfig'];
  try {
    if (typeof kubeconfig === 'string' || isMapping(kubeconfig))
      config.loadFromString(kubeconfigOf(kubeconfig as Json, client));
    else config.loadFromOptions(optionsOf(credential));
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw unusable(credential, 'its kubeconfig cannot be read'); // The reader's message quotes it.
  }
  if (typeof data['context'] === 'string') config.setCurrentContext(data['context']);
  if (config.getUsers().some((user) => user.exec ?? user.authProvider))
    throw unusable(
      credential,
      'it requires a program or a provider to log in with; give it a token or a certificate',
    );
}

function optionsOf(credential: Credential): object {
  const { data } = credential;
  const server = text(data, 'server', 'host');
  if (server === undefined) throw unusable(credential, 'it has neither kubeconfig nor server');
  const name = 'credential';
  const pem = (...names: string[]): string | undefined => {
    const value = text(data, ...names);
    return value?.includes('-----BEGIN') ? Buffer.from(value).toString('base64') : value;
  };
  const verify = data['verify'] ?? data['verify_ssl'] ?? true;
  return {
    clusters: [
      {
        name,
        server,
        caData: pem('ca', 'certificate_authority'),
        skipTLSVerify: verify === false || server.startsWith('http:'),
      },
    ],
    users: [
      {
        name,
        token: text(data, 'token'),
        certData: pem('cert', 'client_certificate'),
        keyData: pem('key', 'client_key'),
        username: text(data, 'username'),
        password: text(data, 'password'),
      },
    ],
    contexts: [{ name, cluster: name, user: name }],
    currentContext: name,
  };
}

function text(data: JsonObject, ...names: string[]): string | undefined {
  const value: Json | undefined = names.map((name) => data[name]).find((one) => one !== undefined);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function namespaceOf(config: Kubernetes.KubeConfig, credential: Credential | undefined): string {
  const named = credential && text(credential.data, 'namespace');
  return named ?? config.getContextObject(config.getCurrentContext())?.namespace ?? 'default';
}

function unusable(credential: Credential | undefined, why: string): ToolError {
  const subject = credential ? `credential '${credential.name}'` : 'the kubeconfig of this worker';
  return new ToolError({
    kind: 'auth',
    code: 'CREDENTIAL_INVALID',
    message: `${subject} cannot be used: ${why}`,
  });
}
