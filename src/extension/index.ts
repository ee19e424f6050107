/** The public interface of extension modules: `import { defineExtension } from 'noetl-temporal/extension'`. */
export { defineExtension, type Extension, type ExtensionKind } from './contract';
export {
  type ErrorKind,
  type Json,
  type JsonObject,
  type Outcome,
  type OutcomeError,
  type TaskCall,
} from '../plan';
export { type Log, type ToolContext } from '../../activities/tool';
export { type Failure, failed, invalid, succeeded, ToolError } from '../../activities/outcome';
export { type Deadline, withDeadline } from '../../activities/deadline';
export { booleanField, field, mappingField, numberField, textField } from '../../activities/fields';
export { type Credential, resolveAuth } from '../../activities/credentials';
