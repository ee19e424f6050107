/** Loads extension modules: their declarations for the compiler, their implementations for workers. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Tool } from '../../../activities/framework/tool/tool';
import { isServed, KINDS, type ToolKind, type ToolKinds } from '../../language/dsl/kinds';
import { compact, isMapping } from '../../language/plan';
import { EnvironmentError, messageOf } from '../../language/errors';
import { type SourceDeclaration, SOURCES } from '../../language/dsl/subscription/sources';
import { type Source } from '../../server/triggers/source';
import { type Extension, type ExtensionKind, type ExtensionSource } from './contract';

export interface LoadedExtensions {
  readonly kinds: ToolKinds;
  readonly tools: readonly Tool[];
  readonly sources: readonly Source[];
  /** What the compiler knows of them. */
  readonly sourceFields: ReadonlyMap<string, SourceDeclaration>;
}

/**
 * @param names paths (`./tools/quantum.js`), relative to `folder`, or names of packages installed there
 * @throws EnvironmentError `EXTENSION_MISSING` if a module cannot be loaded, and as extensionsOf
 */
export async function loadExtensions(names: readonly string[], folder: string): Promise<LoadedExtensions> {
  const modules: [string, unknown][] = [];
  for (const name of names) modules.push([name, await load(name, folder)]);
  return extensionsOf(modules);
}

/**
 * Combines modules (default exports by name).
 *
 * @throws EnvironmentError `EXTENSION_INVALID` if one violates the contract, or two of them add the same kind
 */
export function extensionsOf(
  modules: readonly (readonly [name: string, module: unknown])[],
): LoadedExtensions {
  const kinds = new Map<string, ToolKind>();
  const tools: Tool[] = [];
  const sources: Source[] = [];
  const sourceFields = new Map<string, SourceDeclaration>();
  for (const [name, loaded] of modules) {
    const { kinds: added, sources: opened = {} } = checked(loaded, name);
    for (const [source, about] of Object.entries(opened)) {
      if (Object.hasOwn(SOURCES, source) || sourceFields.has(source))
        throw broken(name, `there is a source ${source} already; rename yours`);
      sources.push({ name: source, shared: about.shared, open: (...given) => about.open(...given) });
      sourceFields.set(source, declarationOf(about));
    }
    for (const [kind, about] of Object.entries(added)) {
      if (kinds.has(kind)) throw broken(name, `another module has already added its kind ${kind}`);
      kinds.set(kind, kindOf(about));
      const { concurrency } = about;
      const tool: Tool = {
        kind,
        run: (call, context) => about.run(call, context),
        ...compact({ concurrency }),
      };
      tools.push(about.close ? { ...tool, close: () => about.close!() } : tool);
    }
  }
  return { kinds, tools, sources, sourceFields };
}

/** The default export of an ES module or a CommonJS module. */
async function load(name: string, folder: string): Promise<unknown> {
  try {
    const imported = (await import(addressOf(name, folder))) as { default?: unknown };
    const exported = imported.default ?? imported;
    return isMapping(exported) && 'default' in exported ? exported['default'] : exported;
  } catch (error) {
    throw new EnvironmentError(
      'EXTENSION_MISSING',
      `The extension ${name} cannot be loaded: ${messageOf(error).split('\n')[0]}`,
      [
        `Paths are relative to ${folder}; a package must be installed there.`,
        'NOETL_EXTENSIONS names the modules.',
      ],
      { cause: error },
    );
  }
}

function addressOf(name: string, folder: string): string {
  if (/^file:/.test(name)) return name;
  if (/^\.{0,2}\//.test(name) || path.isAbsolute(name)) return pathToFileURL(path.resolve(folder, name)).href;
  try {
    return pathToFileURL(createRequire(path.join(folder, 'extensions.js')).resolve(name)).href;
  } catch {
    // A package without CommonJS entry: Node resolves it on `import`, or reports that it cannot.
    return name;
  }
}

function checked(loaded: unknown, name: string): Extension {
  if (!isMapping(loaded) || !isMapping(loaded['kinds']))
    throw broken(name, 'its default export is not what defineExtension({name, kinds}) returns');
  for (const [kind, about] of Object.entries(loaded['kinds'])) {
    const problem = problemOf(kind, about);
    if (problem) throw broken(name, problem);
  }
  const sources = loaded['sources'] ?? {};
  for (const [source, about] of Object.entries(isMapping(sources) ? sources : { sources: null }))
    if (!isMapping(about) || typeof about['open'] !== 'function' || !isMapping(about['fields']))
      throw broken(name, `the source ${source} is not {shared, fields, open}`);
  return loaded as unknown as Extension;
}

function declarationOf({ fields, required = [] }: ExtensionSource): SourceDeclaration {
  return {
    modes: ['pull'],
    fields: Object.fromEntries(Object.entries(fields).map(([name, doc]) => [name, { type: 'any', doc }])),
    required,
  };
}

/** Lists of field names, or of groups of them. */
const LISTS = ['required', 'exclusive', 'strict', 'sql', 'command', 'code', 'texts', 'sides'];

function problemOf(kind: string, about: unknown): string | undefined {
  if (!/^[A-Za-z][\w-]*$/.test(kind)) return `${JSON.stringify(kind)} is not a valid name for a kind`;
  if (Object.hasOwn(KINDS, kind) && isServed(kind)) return `${kind} is a built-in kind; rename yours`;
  if (!isMapping(about)) return `the kind ${kind} is not {doc, fields, run}`;
  if (typeof about['run'] !== 'function') return `the kind ${kind} has no function \`run\``;
  if (typeof about['doc'] !== 'string') return `the kind ${kind} has no \`doc\``;
  if (!isMapping(about['fields'])) return `the kind ${kind} has no mapping \`fields\``;
  const { fields } = about as { fields: Record<string, unknown> };
  for (const list of LISTS) {
    const named = (about[list] ?? []) as unknown;
    if (!Array.isArray(named)) return `\`${list}\` of the kind ${kind} is not a list`;
    const unknown = named.flat().find((field) => !Object.hasOwn(fields, String(field))) as unknown;
    if (unknown !== undefined)
      return `\`${list}\` of the kind ${kind} names ${String(unknown)}, no field of it`;
  }
  const part = PARTS.find(([name, isRight]) => about[name] !== undefined && !isRight(about[name]));
  return part && `\`${part[0]}\` of the kind ${kind} is not ${part[2]}`;
}

/** Structured parts, with a description of each. */
const PARTS: readonly (readonly [name: string, isRight: (part: unknown) => boolean, is: string])[] = [
  ['timeout', (part) => typeof part === 'number' && part > 0, 'a number of seconds above 0'],
  ['concurrency', (part) => Number.isInteger(part) && Number(part) > 0, 'a whole number above 0'],
  ['payload', (part) => isMapping(part) && typeof part['field'] === 'string', '{field, also}'],
  [
    'credentials',
    (part) =>
      Array.isArray(part) &&
      part.every((type) => isMapping(type) && isNames(type['names']) && isForms(type['forms'])),
    'a list of {names: [TEXT, …], forms: [[[SPELLING, …], …], …]}',
  ],
  [
    'mock',
    (part) =>
      isMapping(part) &&
      [part['words'], part['least']].every(isMapping) &&
      [part['wrong'], part['bare'], part['outcome']].every((each) => typeof each === 'function'),
    '{words, least, wrong(), bare(), outcome()}',
  ],
  [
    'failures',
    (part) => Array.isArray(part) && part.every(isMapping),
    'a list of mappings, like `error` in rehearsals',
  ],
  [
    'lineage',
    (part) => isMapping(part) && (typeof part['uses'] === 'function' || isDatabase(part['database'])),
    '{uses()}, or {database: {namespace(), schema, fold}}',
  ],
  [
    'hints',
    (part) => Array.isArray(part) && part.every((one) => Array.isArray(one) && one[0] instanceof RegExp),
    'a list of [REGULAR EXPRESSION, text]',
  ],
];

function isDatabase(part: unknown): boolean {
  return (
    isMapping(part) &&
    typeof part['namespace'] === 'function' &&
    typeof part['schema'] === 'string' &&
    ['lower', 'upper'].includes(part['fold'] as string)
  );
}

function isNames(part: unknown): boolean {
  return Array.isArray(part) && part.length > 0 && part.every((name) => typeof name === 'string');
}

function isForms(part: unknown): boolean {
  return (
    Array.isArray(part) && part.length > 0 && part.every((form) => Array.isArray(form) && form.every(isNames))
  );
}

function broken(name: string, why: string): EnvironmentError {
  return new EnvironmentError('EXTENSION_INVALID', `The extension ${name} cannot be used: ${why}.`, [
    'See docs/extensions.md for what a module must export.',
  ]);
}

function kindOf({ required = [], timeout, run: _run, close: _close, ...about }: ExtensionKind): ToolKind {
  return {
    ...about,
    required: required.map((group) => (typeof group === 'string' ? [group] : group)),
    closed: true,
    ...(timeout !== undefined && { spec: { timeout: { total: timeout } } }),
  };
}
