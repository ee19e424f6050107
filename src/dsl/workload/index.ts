export { checkInputs, type WrongInput } from './check';
export { FIELD_KINDS, type InputField } from './fields';
export { inputSchemas } from './schema';
