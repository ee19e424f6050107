/** The state of an execution: plain JSON, its ids, and the tables a machine works on. */
export * from './copy';
export * from './held';
export * from './ids';
export * from './live-state';
export type * from './marking';
export * from './outside';
export type * from './passage';
export * from './plan-index';
export * from './random';
export * from './record';
export * from './spans';
export * from './state';
