/** Google Secret Manager's gRPC interface, as far as reading a version goes: no emulator of it is to be had. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Absent } from './present';
import { ROOT } from './process';

/** Text by full name of the version; what is not here is NOT_FOUND, and `denied` is refused. */
export type Versions = Readonly<Record<string, string>>;

interface Grpc {
  Server: new () => {
    addService(service: unknown, handlers: object): void;
    bindAsync(address: string, credentials: unknown, done: (error: Error | null, port: number) => void): void;
    forceShutdown(): void;
  };
  ServerCredentials: { createInsecure(): unknown };
  loadPackageDefinition(definition: unknown): {
    google: { cloud: { secretmanager: { v1: { SecretManagerService: { service: unknown } } } } };
  };
}

type Reply = (error: { code: number; details: string } | null, answer?: object) => void;

/** @returns a reason instead where Google's client is not installed */
export async function startSecretManager(
  versions: Versions,
): Promise<{ endpoint: string; stop(): void } | Absent> {
  let protos: string;
  try {
    protos = path.join(
      path.dirname(require.resolve('@google-cloud/secret-manager/package.json', { paths: [ROOT] })),
      'build/protos',
    );
  } catch {
    return { skipped: '@google-cloud/secret-manager, an optional dependency, is not installed', extra: true };
  }
  // Google's own dependencies, found from its package.
  const own = createRequire(path.join(protos, 'x.js'));
  const grpc = own('@grpc/grpc-js') as Grpc;
  const loader = own('@grpc/proto-loader') as {
    loadSync(file: string, options: object): unknown;
  };
  const gax = path.dirname(own.resolve('google-gax'));
  const includeDirs = [
    protos,
    path.join(gax, '../protos'),
    path.join(gax, '../../protos'),
    path.join(gax, '../../build/protos'),
  ];
  const definition = loader.loadSync('google/cloud/secretmanager/v1/service.proto', { includeDirs });
  const { service } =
    grpc.loadPackageDefinition(definition).google.cloud.secretmanager.v1.SecretManagerService;
  const server = new grpc.Server();
  server.addService(service, {
    accessSecretVersion({ request: { name } }: { request: { name: string } }, reply: Reply) {
      if (name.includes('denied')) return reply({ code: 7, details: `no access to ${name}` });
      const text = versions[name];
      if (text === undefined) return reply({ code: 5, details: `${name} not found` });
      reply(null, { name: name.replace('latest', '2'), payload: { data: Buffer.from(text) } });
    },
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { endpoint: `127.0.0.1:${port}`, stop: () => server.forceShutdown() };
}
