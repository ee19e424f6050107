export { Credential, CredentialType, Deadline, ErrorKind, Extension, ExtensionKind, ExtensionSource, ToolFailure as Failure, FieldShape, FieldType, Json, JsonObject, Log, KindMock as Mock, MockedCall, OpenSource, Outcome, OutcomeError, Payload, SourceConnection, SourceMessage, TaskCall, ToolContext, ToolError, booleanField, defineExtension, failedTask as failed, field, invalidInput as invalid, mappingField, numberField, resolveAuth, succeeded, textField, withDeadline } from './shared.js';
import '@temporalio/client';
import '@temporalio/common/lib/proto-utils';
import '@temporalio/common';
import '@temporalio/proto';
