/** Light: what is heavy, and optional, is loaded where traces are asked for. */
export { openTracing } from './open';
export { NO_RUN_SPANS } from './no-run-spans';
export { type Tracing, type WorkerTracing } from './tracing';
