/** The public interface of extension modules: `import { defineExtension } from 'noetl-temporal/extension'`. */
export { defineExtension, type Extension, type ExtensionKind, type ExtensionSource } from './contract';
export {
  type CredentialType,
  type FieldShape,
  type FieldType,
  type KindMock as Mock,
  type MockedCall,
  type Payload,
} from '../../language/kinds/declaration';
export {
  type ErrorKind,
  type Json,
  type JsonObject,
  type Outcome,
  type OutcomeError,
  type TaskCall,
} from '../../language/plan';
export { type Log, type ToolContext } from '../../../activities/framework/tool/tool';
export {
  type ToolFailure as Failure,
  failedTask as failed,
  invalidInput as invalid,
  succeeded,
  ToolError,
} from '../../../activities/framework/tool/outcome';
export { type Deadline, withDeadline } from '../../../activities/framework/tool/deadline';
export {
  booleanField,
  field,
  mappingField,
  numberField,
  textField,
} from '../../../activities/framework/tool/fields';
export { type Credential, resolveAuth } from '../../../activities/framework/credentials';
export { type OpenSource, type SourceConnection, type SourceMessage } from '../../server/triggers/source';
