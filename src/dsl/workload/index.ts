export { FIELD_KINDS, type InputField } from './fields';
