/** One batch: what goes in, what comes out, and what every part of the engine works on meanwhile. */
export type * from './chunk-input';
export type * from './commands';
export * from './context';
export * from './events';
export * from './failure';
export type * from './inputs';
export * from './limits';
export * from './notes';
export type * from './observer';
export * from './pending';
export * from './versions';
