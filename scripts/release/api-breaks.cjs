// What would break programs that were compiled against released types: TypeScript itself says whether what is exported now
// can stand where the former was.
const fs = require('node:fs');
const path = require('node:path');
const ts = require('typescript');

const OPTIONS = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.Node16,
  moduleResolution: ts.ModuleResolutionKind.Node16,
  types: ['node'],
};

/** Declarations of packages, which are parsed once. */
const parsed = new Map();

/** The disk, with some files that are not on it. */
function hostWith(files) {
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, getSourceFile, readFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.getSourceFile = (name, options, ...rest) => {
    if (files.has(name)) return ts.createSourceFile(name, files.get(name), options);
    if (!name.includes('/node_modules/')) return getSourceFile(name, options, ...rest);
    const known = parsed.get(name) ?? getSourceFile(name, options, ...rest);
    parsed.set(name, known);
    return known;
  };
  return host;
}

/** What others implement: a former implementation has to be accepted. All other types are read: they have to have what they had. */
const IMPLEMENTED = new Set(['extension']);

/** Names of types and of values that a file of a report exports, and how many parameters a type has. */
function exportsOf(program, file) {
  const checker = program.getTypeChecker();
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
  return symbols.map((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const parameters = target.declarations?.[0]?.typeParameters?.length ?? 0;
    const isType = (target.flags & ts.SymbolFlags.Type) !== 0;
    return { name: symbol.name, isType, isValue: (target.flags & ts.SymbolFlags.Value) !== 0, parameters };
  });
}

/** A line of TypeScript for each export that has to hold, and what it means if it does not. */
function claimsOf(entry, former, present) {
  const now = new Map(present.map((one) => [one.name, one]));
  return former.flatMap(({ name, isType, isValue, parameters }, index) => {
    const at = `${entry}: ${name}`;
    const one = now.get(name);
    if (!one || (isType && !one.isType) || (isValue && !one.isValue)) return [{ broken: `${at} is gone` }];
    if (parameters !== one.parameters) return [{ broken: `${at} has other type parameters` }];
    const claims = [];
    if (isValue)
      claims.push({ line: `export const v${index}: typeof Former.${name} = Present.${name};`, at });
    if (isType && parameters === 0) {
      const [from, to] = IMPLEMENTED.has(entry) ? ['Former', 'Present'] : ['Present', 'Former'];
      claims.push({ line: `export const t${index} = (x: ${from}.${name}): ${to}.${name} => x;`, at });
    }
    return claims;
  });
}

/** The longest chain of messages says which member of which type it is. */
function reasonOf(messageText) {
  if (typeof messageText === 'string') return messageText;
  const inner = messageText.next?.map(reasonOf).find((text) => text) ?? '';
  return inner || messageText.messageText;
}

/**
 * @param former a folder that api-report.mjs has written for a release
 * @param present one for this tree
 * @returns what breaks, one line each
 */
function apiBreaks(former, present) {
  const files = fs.readdirSync(former).filter((file) => file !== 'shared.d.ts');
  const missing = files.filter((file) => !fs.existsSync(path.join(present, file)));
  const shared = files.filter((file) => !missing.includes(file));
  const places = shared.flatMap((file) => [path.join(former, file), path.join(present, file)]);
  const reports = ts.createProgram(places, OPTIONS, hostWith(new Map()));
  const found = missing.map((file) => `${file.replace('.d.ts', '')} is no entry any more`);
  for (const file of shared) {
    const entry = file.replace('.d.ts', '');
    const sides = [path.join(former, file), path.join(present, file)];
    const claims = claimsOf(entry, ...sides.map((one) => exportsOf(reports, one)));
    found.push(...claims.flatMap(({ broken }) => broken ?? []));
    found.push(
      ...unmet(
        claims.filter(({ line }) => line),
        sides,
      ),
    );
  }
  return found;
}

/** Compiles the claims, and says which do not hold. */
function unmet(claims, [former, present]) {
  const file = path.join(path.dirname(former), '.claims.ts');
  const imported = (name, place) =>
    `import type * as ${name} from './${path.relative(path.dirname(file), place).replace(/\.d\.ts$/, '.js')}';`;
  // Types alone are compared: nothing of the present is there to be assigned.
  const lines = claims.map(({ line }) => line.replace(/= Present\.(\w+);/, '= {} as typeof Present.$1;'));
  const text = [imported('Former', former), imported('Present', present), ...lines].join('\n');
  const host = hostWith(new Map([[file, text]]));
  const program = ts.createProgram([file], OPTIONS, host);
  const source = program.getSourceFile(file);
  return program.getSemanticDiagnostics(source).map(({ start, messageText }) => {
    const { line } = source.getLineAndCharacterOfPosition(start);
    return `${claims[line - 2]?.at ?? 'imports'}: ${reasonOf(messageText)}`;
  });
}

module.exports = { apiBreaks };
