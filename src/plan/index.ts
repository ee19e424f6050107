export * from './codec';
export * from './json';
export * from './outcome';
export * from './plan';
export * from './value';
export * from './names';
export * from './kinds';
export * from './wire';
