/** Lightweight: the heavy, optional packages are loaded only if tracing is enabled. */
export { openTracing } from './open';
export { NO_RUN_SPANS } from './no-run-spans';
export { type Tracing, type WorkerTracing } from './tracing';
