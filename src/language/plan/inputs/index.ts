export { type WrongInput } from './check';
export {
  EACH_ITEM,
  type PlanInputs,
  playbookInputs,
  refusedInputs,
  secretPathsOf,
  wrongInputs,
} from './plan-inputs';
export { INPUT_TYPES, type InputSchema, inputSchemas } from './schema';
