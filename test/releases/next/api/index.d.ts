export { WorldAnswer as Answer, Applied, InputBatch as Batch, Command, CompileOptions, Compiled, Diagnostic, EngineError, EngineEvent, Input, Json, JsonObject, Machine, Outcome, OutcomeError, Plan, Severity, SimulateOptions, Simulated, State, TaskCall, Upgraded, World, WrongInput, checkPayload, compile, formatDiagnostics, playbookSchema, simulatePlan, upgrade } from './shared.js';
import '@temporalio/client';
import '@temporalio/common/lib/proto-utils';
import '@temporalio/common';
import '@temporalio/proto';
