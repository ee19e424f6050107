export { collectGarbage, type Collected } from './garbage';
export { openStorage, type Storage } from './open';
