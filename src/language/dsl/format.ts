/**
 * Shared with other YAML formats of this project (src/offline/rehearsal): positions, diagnostics, shapes and the JSON
 * Schema generated from them.
 */
export { type Diagnostic, Findings, type Located, type Report } from './diagnostics/diagnostic';
export { didYouMean, oneOf } from './diagnostics/suggest';
export { checkShape } from './schema/check';
export * as field from './schema/fields';
export { type Field, shape, type Shape } from './schema/shape';
export { type Json as JsonSchema } from './schema/json-schema-tools';
export { shapeSchemas, sorted } from './schema/shape-schema';
export { LineIndex } from './yaml/lines';
export * from './yaml/node';
export { parseYaml } from './yaml/parse';
