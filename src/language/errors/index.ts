export * from './closing';
export * from './coded-error';
export * from './environment-error';
