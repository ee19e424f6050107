export { blobFailureIn } from './failure';
export { collectGarbage, type Collected } from './garbage';
export { openStorage, MAX_RESULT_BYTES, type Storage } from './open';
