/** The parser, used by the compiler. The evaluator, for engine and activities, is `./runtime`. */
export { hasTemplateSyntax, parseExpression, parseTemplate, type ParseOptions } from './parse/template';
export * from './runtime';
