import { type InjectedSinks } from '@temporalio/worker';
import { type TraceSinks } from '../../workflows/tracing/span';

/** For workers and replayers that keep no traces: the SDK complains of a sink that is not there. */
export const NO_RUN_SPANS: InjectedSinks<TraceSinks> = { noetlTrace: { ended: { fn: () => undefined } } };
