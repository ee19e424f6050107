/** One batch: its inputs, its outputs, and the context that every part of the engine shares during it. */
export type * from './chunk-input';
export type * from './commands';
export * from './context';
export * from './events';
export * from './failure';
export type * from './inputs';
export * from './bounds';
export * from './measure';
export * from './notes';
export type * from './observer';
export * from './pending';
export * from './versions';
