export { createFacade } from './app';
export { type FacadeServices } from './services';
export { type Authenticate, open, openFor } from './http/authenticate';
export { type EdgeOptions } from './http/edge';
export { FacadeError } from './http/errors';
export { Metrics } from './http/metrics';
export { byToken, type TokenAuthentication } from './http/tokens';
export { isLoopback, type Listening, listen } from './http/listen';
export { type Principal, type Scope, SCOPES } from './http/route';
