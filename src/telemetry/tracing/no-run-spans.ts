import { type InjectedSinks } from '@temporalio/worker';
import { type TraceSinks } from './span';

/** For workers and replayers without tracing: the SDK complains about a missing sink. */
export const NO_RUN_SPANS: InjectedSinks<TraceSinks> = { noetlTrace: { ended: { fn: () => undefined } } };
