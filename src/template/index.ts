/** The parse half: what compiles playbooks. The evaluate half, for engine and activities, is `./runtime`. */
export { hasTemplateSyntax, parseExpression, parseTemplate, type ParseOptions } from './parse/template';
export * from './runtime';
