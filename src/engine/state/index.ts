/** What an execution is made of: plain JSON, its ids, and the tables it stands in while a machine works on it. */
export * from './ids';
export * from './live-state';
export type * from './passage';
export * from './plan-index';
export * from './random';
export * from './record';
export * from './state';
