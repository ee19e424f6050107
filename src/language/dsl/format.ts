/**
 * Shared with other YAML formats of this project (src/offline/rehearsal): positions, diagnostics, shapes and the JSON
 * Schema generated from them.
 */
export { type Diagnostic, Findings, type Located, type Report } from './diagnostics/diagnostic';
export { didYouMean, oneOfText } from './diagnostics/suggest';
export { checkSchemaShape } from './schema/check';
export * as field from './schema/fields';
export { type SchemaField, shape, type SchemaShape } from './schema/shape';
export { type SchemaJson as JsonSchema } from './schema/json-schema-tools';
export { schemaIdentity, shapeSchemas, sorted } from './schema/shape-schema';
export { compileTrigger } from './subscription/compile';
export { LineIndex } from './yaml/lines';
export * from './yaml/node';
export { parseYaml } from './yaml/parse';
