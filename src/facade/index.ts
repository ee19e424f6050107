export { createFacade, type FacadeServices } from './app';
export { FacadeError } from './errors';
export { type Listening, listen } from './listen';
