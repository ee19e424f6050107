/**
 * The evaluator: everything that engine, workflows and activities need. It runs in Temporal's workflow sandbox, so
 * neither this module nor its imports use nunjucks, a clock, randomness or I/O.
 */
export { evaluate, evaluateRaw } from './evaluate/evaluate';
export { filterNames, testNames } from './evaluate/apply';
export { globalNames } from './evaluate/globals';
export { formatTemplateError, isOfLimit, TemplateError, TemplateSyntaxError } from './errors';
export { type Expr, type Template } from './ir';
export { references, type TemplateReference } from './references';
export { type TemplateEnvironment, type TemplateScope } from './scope';
export { lookup } from './values/access';
export { equals } from './values/compare';
export { jsonSize, levelsOf, measuring, rememberSize, unchanging } from './values/json-size';
export { isBigInteger, losesDigits, numberOf, NumberTooLarge } from './values/digits';
export { templateJson } from './values/json';
export { valueTypeName } from './values/kinds';
export { listed, loopResult, type LoopStats, loopStats, resultsOf } from './values/loop-result';
export { plainValue } from './values/plain';
export { parseIso } from './values/strftime';
export { toText } from './values/text';
export { formatIso, fromParts } from './values/time';
export { truthOfCondition, truthy } from './values/truth';
export { PRICES, type PriceTable } from './values/prices';
export { hostWatch } from './values/watch';
export { View } from './view';
