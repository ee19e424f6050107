export * from './embedded-postgres';
export { postgresBinaries } from './postgres-binaries';
export * from './database-error';
export * from './migrate';
export { type Database, openDatabase } from './database';
export { type Tables } from './tables';
export * from './credentials';
export * from './tokens';
export * from './catalog';
