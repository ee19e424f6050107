/**
 * The package as a library, `import … from 'noetl-temporal'`: playbooks compiled, checked and run in simulated time,
 * with no server. Histories are read with `noetl-temporal/history`, executions started with `noetl-temporal/client`,
 * kinds added with `noetl-temporal/extension`. What is exported here and there is what docs/api.md describes.
 */
export {
  compile,
  type Compiled,
  type CompileOptions,
  type Diagnostic,
  formatDiagnostics,
  playbookSchema,
  type Severity,
  upgrade,
  type Upgraded,
} from '../dsl';
export {
  type Json,
  type JsonObject,
  type Outcome,
  type OutcomeError,
  type Plan,
  type TaskCall,
  type WrongInput,
} from '../plan';
export { checkPayload } from './payload';
export {
  type Applied,
  type Batch,
  type Command,
  EngineError,
  type EngineEvent,
  type Input,
  Machine,
  type State,
} from '../engine';
export {
  type Answer,
  type Simulated,
  type SimulateOptions,
  simulatePlan,
  type World,
} from '../rehearsal/simulation/simulate';
