export { compile, type Compiled, type CompileOptions } from './compile';
export { type Code, type CodeEntry, CODES, type Severity } from './diagnostics/codes';
export { type Diagnostic } from './diagnostics/diagnostic';
export { formatDiagnostics } from './diagnostics/format';
export { digestOf } from './digest';
export { KINDS, type ToolKind } from './kinds';
export { playbookSchema } from './schema/json-schema';
export { sarifLog, type SarifFile } from './sarif';
export { type Note, printPlan, unifiedDiff, type Upgraded, upgrade } from './upgrade';
