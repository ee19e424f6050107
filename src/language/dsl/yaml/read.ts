import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Alias,
  type Pair,
  type Scalar as YamlScalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { CodedError, hasCode } from '../../errors';
import { losesDigits } from '../../template/values/digits';
import { inQuotes } from '../fixes/words';
import { type Located, type Report } from '../diagnostics/diagnostic';
import { type MapEntry, type MapNode, type YamlNode, type ScalarNode } from './node';
import { type ScalarStyle } from './offsets';
import { childPath, textNode } from './scalar';
import { codePoint, YAML_LIMITS, NOT_STORABLE, QUOTE_IT, UNQUOTED } from './yaml-bounds';

/** Converts a composed YAML document to positioned nodes; reports problems of the data. */
export function readNode(document: Document.Parsed, text: string, report: Report): YamlNode | undefined {
  const reader = new Reader(text, report);
  try {
    return reader.node(document.contents, '', 0);
  } catch (problem) {
    if (!hasCode(problem, 'NT1006', 'NT1007')) throw problem;
    return undefined;
  }
}

class Reader {
  private readonly anchors = new Map<string, { node: YamlNode; size: number; height: number }>();
  private readonly open = new Set<string>();
  private size = 0;

  constructor(
    private readonly text: string,
    private readonly report: Report,
  ) {}

  node(source: unknown, path: string, depth: number): YamlNode {
    if (isAlias(source)) return this.alias(source, path, depth);
    const anchor = (source as { anchor?: string } | null)?.anchor;
    if (anchor !== undefined) this.open.add(anchor);
    const before = this.size;
    this.grow(1, source, path, depth);
    const node = this.content(source, path, depth);
    if (anchor !== undefined) {
      this.open.delete(anchor);
      this.anchors.set(anchor, { node, size: this.size - before, height: height(node) });
    }
    return node;
  }

  private content(source: unknown, path: string, depth: number): YamlNode {
    if (isMap(source))
      return this.isTemplate(source) ? this.unquoted(source, path) : this.map(source, path, depth);
    if (isSeq(source)) {
      const { items, flow } = source as YAMLSeq<unknown>;
      const nodes = items.map((item, i) => this.node(item, `${path}[${i}]`, depth + 1));
      const at = place(source, path);
      return { kind: 'list', items: nodes, ...at, end: flow ? at.end : (nodes.at(-1)?.end ?? at.end) };
    }
    if (isScalar(source)) return this.scalar(source, path);
    return { kind: 'scalar', value: null, offsetOf: () => 0, start: 0, end: 0, path };
  }

  /** Counts nodes during expansion: ten aliases of ten aliases of … end here, not in memory. */
  private grow(by: number, source: unknown, path: string, depth: number): void {
    this.size += by;
    if (this.size > YAML_LIMITS.nodes) {
      this.stop(
        'NT1006',
        place(source, path),
        `with its aliases unfolded, the playbook has more than ${YAML_LIMITS.nodes} values`,
      );
    }
    if (depth > YAML_LIMITS.depth) {
      this.stop(
        'NT1007',
        place(source, path),
        `values are nested more than ${YAML_LIMITS.depth} levels deep`,
      );
    }
  }

  private stop(code: 'NT1006' | 'NT1007', at: Located, message: string): never {
    this.report.add(code, at, message);
    throw new CodedError(code, message);
  }

  private alias(source: Alias, path: string, depth: number): YamlNode {
    const at = place(source, path);
    const target = this.anchors.get(source.source);
    if (target !== undefined) {
      this.grow(target.size, source, path, depth + target.height);
      return target.node;
    }
    const message = this.open.has(source.source)
      ? `the alias \`*${source.source}\` is inside its own anchor`
      : `no anchor \`&${source.source}\` precedes this alias`;
    this.report.add('NT1012', at, message);
    return { kind: 'scalar', value: null, offsetOf: () => at.start, ...at };
  }

  private map(source: YAMLMap, path: string, depth: number): MapNode {
    const entries = new Map<string, MapEntry>();
    const merged: MapEntry[] = [];
    let last = 0;
    for (const pair of source.items as Pair<unknown, unknown>[]) {
      const key = this.key(pair.key, path);
      if (key === undefined) {
        // It is reported, and not read; whatever is around it still ends behind it.
        last = Math.max(last, place(pair.key, path).end, place(pair.value, path).end);
        continue;
      }
      if (key === MERGE) {
        merged.push(...this.mergeKey(pair.value, path, depth));
        last = place(pair.value, path).end;
        continue;
      }
      const at = place(pair.key, childPath(path, key));
      const value = pair.value === null ? this.empty(at) : this.node(pair.value, at.path, depth + 1);
      last = isAlias(pair.value) ? place(pair.value, path).end : value.end;
      const first = entries.get(key);
      if (first === undefined) entries.set(key, { key, at, value });
      else
        this.report.add(
          'NT1002',
          at,
          `the key \`${key}\` occurs twice in this mapping`,
          'keep one of the two',
        );
    }
    for (const each of merged) if (!entries.has(each.key)) entries.set(each.key, each);
    const at = place(source, path);
    // The parser includes trailing comments in a block.
    const end = source.flow ? at.end : last;
    return { kind: 'map', entries: [...entries.values()], ...at, end };
  }

  private key(key: unknown, path: string): string | typeof MERGE | undefined {
    if (isScalar(key)) {
      const { value } = key;
      if (typeof value === 'symbol' || (value === '<<' && key.type === 'PLAIN')) return MERGE;
      if (typeof value === 'string') {
        this.checkText(value, place(key, path));
        return value;
      }
      if (typeof value === 'number' || typeof value === 'boolean') return key.source ?? String(value);
    }
    this.report.add(
      'NT1010',
      place(key, path),
      'a key must be a string, but this one is empty or a collection',
    );
    return undefined;
  }

  /** `<<: *base` and `<<: [*a, *b]`: earlier entries take precedence over later ones, own keys over all. */
  private mergeKey(value: unknown, path: string, depth: number): MapEntry[] {
    const node = this.node(value, path, depth + 1);
    const maps = node.kind === 'list' ? node.items : [node];
    const byKey = new Map<string, MapEntry>();
    for (const each of maps) {
      if (each.kind !== 'map') {
        this.report.add(
          'NT1010',
          place(value, path),
          'the merge key `<<` takes a mapping, or a list of mappings',
        );
        continue;
      }
      for (const one of each.entries) if (!byKey.has(one.key)) byKey.set(one.key, one);
    }
    return [...byKey.values()];
  }

  private scalar(source: YamlScalar, path: string): ScalarNode {
    const at = place(source, path);
    const { value } = source;
    if (typeof value === 'string') {
      this.checkText(value, at);
      return textNode(this.text, at, STYLES[source.type ?? 'PLAIN'] ?? 'plain', value);
    }
    const offsetOf = (): number => at.start;
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) {
        this.report.add(
          'NT1009',
          at,
          `\`${source.source ?? String(value)}\` is not a number that JSON can represent`,
        );
        return { kind: 'scalar', value: null, offsetOf, ...at };
      }
      return {
        kind: 'scalar',
        value: this.number(source.source ?? String(value), value, at),
        offsetOf,
        ...at,
      };
    }
    if (value === null || typeof value === 'boolean') return { kind: 'scalar', value, offsetOf, ...at };
    this.report.add('NT1009', at, 'JSON cannot represent a value of this YAML type', {
      hint: 'quote it',
      ...inQuotes(),
    });
    return { kind: 'scalar', value: null, offsetOf, ...at };
  }

  /** As everywhere, an integer beyond 2^53 is text (src/language/plan/json-text.ts). */
  private number(source: string, value: number, at: Located): number | string {
    const digits = /^[-+]?(?:\d+|0x[\da-f]+|0o[0-7]+)$/i.test(source);
    if (digits && !Number.isSafeInteger(value)) {
      const negative = source.startsWith('-');
      const text = `${negative ? '-' : ''}${BigInt(source.replace(/^[-+]/, ''))}`;
      this.report.add('NT1013', at, `the integer ${source} is read as text: a number would lose digits`, {
        hint: 'quote it',
        ...inQuotes(),
      });
      return text;
    }
    if (/^[-+]?0\d+$/.test(source))
      this.report.add(
        'NT1015',
        at,
        `\`${source}\` is read as the number ${value}`,
        'quote it to keep the zeros',
      );
    else if (!digits && losesDigits(source))
      this.report.add('NT1014', at, `the decimal ${source} loses digits: it is read as ${value}`, 'quote it');
    return value;
  }

  private checkText(value: string, at: Located): void {
    const match = NOT_STORABLE.exec(value);
    if (match !== null) {
      this.report.add(
        'NT1008',
        at,
        `the text contains character ${codePoint(match[0])}, which JSON stores refuse`,
      );
    }
  }

  private empty(at: Located): ScalarNode {
    return { kind: 'scalar', value: null, offsetOf: () => at.end, ...at };
  }

  private isTemplate(source: YAMLMap): boolean {
    const start = source.range?.[0] ?? 0;
    return source.flow === true && this.text.startsWith('{{', start);
  }

  /** `url: {{ x }}` without quotes: an unambiguous mistake, so it is read as the intended template. */
  private unquoted(source: YAMLMap, path: string): ScalarNode {
    const at = place(source, path);
    this.report.add('NT1005', at, UNQUOTED, { hint: QUOTE_IT, ...inQuotes() });
    return {
      kind: 'scalar',
      value: this.text.slice(at.start, at.end),
      offsetOf: (index) => at.start + index,
      ...at,
    };
  }
}

const MERGE = Symbol('merge key');

const STYLES: Readonly<Record<string, ScalarStyle>> = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'block',
  BLOCK_FOLDED: 'block',
};

function place(source: unknown, path: string): Located {
  const range = (source as { range?: readonly [number, number, number] } | null)?.range;
  return { start: range?.[0] ?? 0, end: range?.[1] ?? 0, path };
}

/** Levels below a node; 0 for a scalar. */
function height(node: YamlNode): number {
  const below =
    node.kind === 'map' ? node.entries.map((each) => each.value) : node.kind === 'list' ? node.items : [];
  return below.reduce((most, each) => Math.max(most, 1 + height(each)), 0);
}
