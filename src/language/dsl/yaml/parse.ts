import { Composer, type Document, Parser } from 'yaml';
import { type Report } from '../diagnostics/diagnostic';
import { codePoint, YAML_LIMITS, NOT_YAML } from './yaml-bounds';
import { readNode } from './read';
import { type MapNode } from './node';
import { reportSyntax, span } from './syntax';

/** The expected content of a file, for messages. */
interface Noun {
  /** Without an article. */
  readonly name: string;
  readonly startsWith: string;
}

const PLAYBOOK: Noun = { name: 'playbook', startsWith: '`apiVersion: noetl.io/v2`' };

/** Parses the text as one YAML mapping; undefined, with a diagnostic, if it is not one. */
export function parseYaml(text: string, report: Report, noun: Noun = PLAYBOOK): MapNode | undefined {
  if (text.length > YAML_LIMITS.text) {
    const size = (text.length / 1024 / 1024).toFixed(1);
    report.add(
      'NT1006',
      span(0, 0),
      `the ${noun.name} has ${size} Mi characters; the limit is ${YAML_LIMITS.text / 1024 / 1024} Mi`,
    );
    return undefined;
  }
  if (!checkCharacters(text, report)) return undefined;
  const document = compose(text, report, noun);
  if (document === undefined) return undefined;
  if (document.contents === null) {
    report.add(
      'NT1011',
      span(0, 0),
      'the document is empty',
      `a ${noun.name} starts with ${noun.startsWith}`,
    );
    return undefined;
  }
  const root = readNode(document, text, report);
  if (root === undefined) return undefined;
  if (root.kind !== 'map') {
    const kind = root.kind === 'list' ? 'a list' : 'a single value';
    report.add(
      'NT1011',
      root,
      `a ${noun.name} is a mapping, but the document is ${kind}`,
      `it starts with ${noun.startsWith}`,
    );
    return undefined;
  }
  return root;
}

function checkCharacters(text: string, report: Report): boolean {
  const matches = [...text.matchAll(NOT_YAML)].slice(0, 5);
  for (const { index, 0: char } of matches) {
    report.add('NT1008', span(index, index + 1), `character ${codePoint(char)} is not allowed in YAML`);
  }
  return matches.length === 0;
}

function compose(text: string, report: Report, noun: Noun): Document.Parsed | undefined {
  const tokens = [...new Parser().parse(text)];
  const measured = measure([...tokens], noun);
  if (measured !== undefined) {
    report.add(measured.code, span(measured.offset, measured.offset + 1), measured.message);
    return undefined;
  }
  const composer = new Composer({ uniqueKeys: false, merge: true, prettyErrors: false, logLevel: 'silent' });
  const documents = [...composer.compose(tokens, true, text.length)] as Document.Parsed[];
  const [first, second] = documents;
  const separator = second === undefined ? -1 : text.indexOf('---', first!.range[1]);
  // Problems in a second document are irrelevant, because it is not allowed.
  const whole = separator !== -1 && first!.errors.length === 0 ? [first!] : documents;
  const errors = whole.flatMap((each) => each.errors);
  // Further errors of the parser at the same position follow from the first.
  const offsets = new Set<number>();
  for (const error of errors.slice(0, 20)) {
    if (!offsets.has(error.pos[0])) reportSyntax(error, text, report);
    offsets.add(error.pos[0]);
  }
  if (second !== undefined && errors.length === 0) {
    const start = separator === -1 ? second.range[0] : separator;
    report.add(
      'NT1003',
      span(start, start + 3),
      `a file contains one ${noun.name}, but here a second YAML document begins`,
    );
    return undefined;
  }
  return errors.length === 0 ? first : undefined;
}

interface Token {
  readonly type: string;
  readonly offset?: number;
  readonly value?: unknown;
  readonly key?: unknown;
  readonly items?: readonly { readonly key?: unknown; readonly value?: unknown }[];
}

/** Checks size and depth of the concrete syntax, before any recursion. */
function measure(
  tokens: unknown[],
  noun: Noun,
): { code: 'NT1006' | 'NT1007'; offset: number; message: string } | undefined {
  const open = tokens as Token[];
  const depths = open.map(() => 0);
  let count = 0;
  while (open.length > 0) {
    const token = open.pop()!;
    const depth = depths.pop()!;
    count += 1;
    if (count > YAML_LIMITS.nodes) {
      const message = `the ${noun.name} has more than ${YAML_LIMITS.nodes} values`;
      return { code: 'NT1006', offset: 0, message };
    }
    if (depth > YAML_LIMITS.depth) {
      const message = `values are nested more than ${YAML_LIMITS.depth} levels deep`;
      return { code: 'NT1007', offset: token.offset ?? 0, message };
    }
    const push = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      open.push(value as Token);
      depths.push(depth + 1);
    };
    push(token.value);
    for (const item of token.items ?? []) {
      push(item.key);
      push(item.value);
    }
  }
  return undefined;
}
