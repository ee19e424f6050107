export { type WrongInput } from './check';
export {
  EACH_ITEM,
  inputNames,
  type PlanInputs,
  playbookInputs,
  refusedInputs,
  secretPathsOf,
  unknownInputs,
  wrongInputs,
} from './plan-inputs';
export { INPUT_TYPES, type InputSchema, inputSchemas } from './schema';
