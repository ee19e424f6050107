export * from './closing';
export * from './coded-error';
export * from './docs';
export * from './environment-error';
