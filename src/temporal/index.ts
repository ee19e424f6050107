export * from './address';
export * from './connect';
export * from './errors';
export * from './naming';
export { type Binary, obtainTemporalCli, obtainTestServer } from './server/binary';
export { type CommandResult, runCommand } from './server/command';
export { type DevServer, type DevServerOptions, startDevServer } from './server/dev-server';
export { freePort, isListening } from './server/ports';
export { holdService, type ServiceHold, type ServiceSpec } from './server/shared-service';
