import { hasTemplateSyntax } from '../../template';
import { type Located, type Report } from '../diagnostics/diagnostic';
import { didYouMean, oneOfText } from '../diagnostics/suggest';
import { asMap, asText, entry, type MapEntry, type MapNode, type YamlNode, presentValue } from '../yaml/node';
import { scalar } from '../sugar/nodes';
import { type CollectDoc } from './document';

/** Modes of `{from, into, mode}`. */
const MODES: Readonly<Record<string, CollectDoc['mode']>> = {
  append: 'push',
  extend: 'concat',
  replace: 'replace',
  merge: 'merge',
};

/** Strategies of `{strategy, path, into}`. */
const STRATEGIES: Readonly<Record<string, CollectDoc['mode']>> = {
  append: 'concat',
  extend: 'concat',
  replace: 'replace',
  merge: 'merge',
  collect: 'push',
};

/** Parses `collect` in its two forms; undefined (with a diagnostic) for others. */
export function readCollect({ at, value }: MapEntry, report: Report): CollectDoc | undefined {
  const map = asMap(value);
  if (map === undefined) return undefined;
  const from = presentValue(map, 'from');
  const path = entry(map, 'path');
  const strategy = entry(map, 'strategy');
  const other = path ?? strategy;
  if (other !== undefined && (from !== undefined || entry(map, 'mode') !== undefined)) {
    const message = `\`${other.key}\` belongs to the shape \`{strategy, path, into}\`, not to \`{from, into, mode}\``;
    report.add('NT2006', other.at, message, 'keep one of the two shapes');
    return undefined;
  }
  const into = targetOf(map, at, report);
  if (into === undefined) return undefined;
  if (from !== undefined || entry(map, 'mode') !== undefined) {
    if (from === undefined) {
      report.add('NT2005', at, '`collect` needs `from`: what to collect', 'e.g. `from: response.data`');
      return undefined;
    }
    const mode = modeOf(map, 'mode', MODES, report);
    return mode && { do: 'collect', from: expressionOf(from), into, mode, isResult: false, at };
  }
  const mode = modeOf(map, 'strategy', STRATEGIES, report);
  const pathNode = presentValue(map, 'path');
  const what = pathNode?.kind === 'scalar' ? expressionOf(pathNode, 'response.') : scalar(at, '{{ result }}');
  return mode && { do: 'collect', from: what, into, mode, isResult: true, at };
}

function modeOf(
  map: MapNode,
  key: string,
  modes: Readonly<Record<string, CollectDoc['mode']>>,
  report: Report,
): CollectDoc['mode'] | undefined {
  const node = presentValue(map, key);
  const word = asText(node) ?? 'append';
  if ((node === undefined || node.kind === 'scalar') && Object.hasOwn(modes, word)) return modes[word];
  const all = Object.keys(modes);
  report.add('NT2004', node!, `\`${key}\` is ${oneOfText(all)}, not \`${word}\``, didYouMean(word, all));
  return undefined;
}

/** `pages` means `ctx.pages`; `iter.pages` and `vars.pages` are unchanged. */
function targetOf(map: MapNode, at: Located, report: Report): CollectDoc['into'] | undefined {
  const node = presentValue(map, 'into');
  const text = asText(node);
  const path = text?.split('.') ?? [];
  if (node === undefined || text === undefined) {
    report.add(
      'NT2005',
      node ?? at,
      '`collect` needs `into`: the name of the variable',
      'e.g. `into: pages`',
    );
    return undefined;
  }
  const scoped = path.length > 1 && ['ctx', 'vars', 'iter', 'step'].includes(path[0]!);
  const scope = !scoped || path[0] === 'vars' ? 'ctx' : (path[0] as 'ctx' | 'iter' | 'step');
  const names = scoped ? path.slice(1) : path;
  if (names.every((name) => /^[^\s{}]+$/.test(name))) return { scope, path: names };
  report.add(
    'NT2060',
    node,
    `\`${text}\` is not a name that can be written`,
    'names must be known when the playbook is compiled',
  );
  return undefined;
}

/** The value of an expression that may be written without braces. */
export function expressionOf(node: YamlNode, prefix = ''): YamlNode {
  if (node.kind !== 'scalar' || typeof node.value !== 'string' || hasTemplateSyntax(node.value)) return node;
  const added = 3 + prefix.length;
  return {
    ...node,
    value: `{{ ${prefix}${node.value} }}`,
    offsetOf: (index) => node.offsetOf(index - added),
  };
}
