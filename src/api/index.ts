/**
 * The package as a library, `import … from 'noetl-temporal'`: compiles and checks playbooks and runs them in
 * simulated time, without a server. `noetl-temporal/history` reads histories, `noetl-temporal/client` starts
 * executions, `noetl-temporal/extension` adds kinds. docs/api.md describes everything exported here and there.
 */
export {
  compile,
  type Compiled,
  type CompileOptions,
  type Diagnostic,
  formatDiagnostics,
  playbookSchema,
  type Severity,
} from '../language/dsl';
export { upgrade, type Upgraded } from '../language/dsl/upgrade';
export {
  type Json,
  type JsonObject,
  type Outcome,
  type OutcomeError,
  type Plan,
  type TaskCall,
  type WrongInput,
} from '../language/plan';
export { checkPayload } from './payload';
export {
  type Applied,
  type InputBatch as Batch,
  type Command,
  EngineError,
  type EngineEvent,
  type Input,
  Machine,
  type State,
} from '../engine/machine';
export {
  type WorldAnswer as Answer,
  type Simulated,
  type SimulateOptions,
  simulatePlan,
  type World,
} from '../offline/drive';
