export { createFacade } from './app';
export { type FacadeServices } from './services';
export { type Authenticate, open } from './http/authenticate';
export { FacadeError } from './http/errors';
export { type Listening, listen } from './http/listen';
export { type Principal, type Scope, SCOPES } from './http/route';
