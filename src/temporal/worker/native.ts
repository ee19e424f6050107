/** A worker's connection that clients of its process use too: their calls need half of the processor time of grpc-js. */
import { type Connection, isGrpcServiceError } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { connectionOptions, type TemporalTarget } from '../client';

type Call = (request: { waitNewEvent?: boolean | null }) => Promise<unknown>;
type Calls = Record<string, Call>;

/**
 * Connects natively, and sends the calls of the client's connection that way; but calls with a deadline and long polls remain
 * with grpc-js, which alone gives up what it has sent.
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
