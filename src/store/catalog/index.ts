export * from './catalog';
export * from './submissions';
