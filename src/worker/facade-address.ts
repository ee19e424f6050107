/** Where the facade is, without the workers that fetch from it. */
export { configuredFacade, type FacadeAddress } from '../../activities/framework/credentials/facade-client';
