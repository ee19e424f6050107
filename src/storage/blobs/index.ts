export { collectGarbage, type CollectedGarbage } from './garbage';
export { openStorage, type Storage } from './open';
