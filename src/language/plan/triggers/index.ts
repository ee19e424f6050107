export * from './moves';
export * from './plan';
