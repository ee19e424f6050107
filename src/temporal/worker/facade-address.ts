/** The facade's address, without the workers that use it. */
export {
  configuredFacade,
  type FacadeAddress,
} from '../../../activities/framework/credentials/facade-client';
