export { FIELD_KINDS } from './fields';
