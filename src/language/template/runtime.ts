/**
 * The evaluator: everything that engine, workflows and activities need. It runs in Temporal's workflow sandbox, so
 * neither this module nor its imports use nunjucks, a clock, randomness or I/O.
 */
export { evaluate, evaluateRaw } from './evaluate/evaluate';
export { filterNames, testNames } from './evaluate/apply';
export { globalNames } from './evaluate/globals';
export { formatTemplateError, isOfLimit, TemplateError, TemplateSyntaxError } from './errors';
export { type Expr, type Template } from './ir';
export { references, type Reference } from './references';
export { type Environment, type Scope } from './scope';
export { lookup } from './values/access';
export { equals } from './values/compare';
export { jsonSize, levelsOf, measuring, rememberSize, unchanging } from './values/json-size';
export { isBigInteger, losesDigits, numberOf, NumberTooLarge } from './values/digits';
export { parseJson } from './values/json';
export { typeName } from './values/kinds';
export { listed, loopResult, type LoopStats, loopStats, resultsOf } from './values/loop-result';
export { plain } from './values/plain';
export { parseIso } from './values/strftime';
export { toText } from './values/text';
export { formatIso, fromParts } from './values/time';
export { condition, truthy } from './values/truth';
export { PRICES, type PriceTable } from './values/prices';
export { watch } from './values/watch';
export { View } from './view';
