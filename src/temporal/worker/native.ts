/** A worker's connection for the clients of its process too: their calls take half of the time of a processor that grpc-js takes. */
import { type Connection, isGrpcServiceError } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { connectionOptions, type TemporalTarget } from '../client';

type Call = (request: { waitNewEvent?: boolean | null }) => Promise<unknown>;
type Calls = Record<string, Call>;

/**
 * Connects natively, and sends calls of the client's connection that way. Only grpc-js gives up what it has sent: calls that
 * have a deadline, or that wait for what is to come, remain there.
 *
 * @returns for workers; close it when no client makes calls any more
 */
export async function nativeConnection(
  target: TemporalTarget,
  connection: Connection,
): Promise<NativeConnection> {
  const native = await NativeConnection.connect(connectionOptions(target));
  const [given, fast] = [connection.workflowService, native.workflowService] as unknown as [Calls, Calls];
  const call = (name: string): Call => {
    return (request) => {
      const { deadline } = connection.callContextStorage.getStore() ?? {};
      if (deadline !== undefined || request.waitNewEvent) return given[name]!(request);
      return fast[name]!(request).catch((error: unknown) => Promise.reject(asOfGrpc(error)));
    };
  };
  const calls = Object.fromEntries(Object.keys(given).map((name) => [name, call(name)]));
  Object.assign(connection, { workflowService: calls });
  return native;
}

/** What the server said is where clients look for it. */
function asOfGrpc(error: unknown): unknown {
  return isGrpcServiceError(error)
    ? Object.assign(error, { details: error.details || error.message })
    : error;
}
