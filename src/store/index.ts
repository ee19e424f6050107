export * from './embedded-postgres';
export { postgresBinaries } from './postgres-binaries';
