/** The examples of docs/api.md as a user has them: modules in a folder beside which the built package is installed. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { ROOT, start } from './process';

const PAGE = path.join(ROOT, 'docs', 'api.md');
const PLACE = 'test/histories/0.1.0';

export interface ApiExample {
  readonly name: string;
  readonly code: string;
  /** What it prints, as the page says. */
  readonly output: string;
  /** What it needs beside the package: a history file, a server. */
  readonly needs: string;
}

const page = fs.readFileSync(PAGE, 'utf8');

/** Every block `ts`, with the block `text` behind it. */
export const API_EXAMPLES: readonly ApiExample[] = [
  ...page.matchAll(/^```ts ?(\w*)\n([^]*?)^```\n\n```text\n([^]*?)^```$/gm),
].map(([, needs = '', code = '', output = ''], at) => ({ name: `example${at}`, code, output, needs }));

/** How many blocks of TypeScript the page has. */
export const API_BLOCKS = [...page.matchAll(/^```ts/gm)].length;

export interface Written {
  readonly folder: string;
  /** Of the files, TypeScript. */
  readonly files: readonly string[];
  remove(): void;
}

/** Writes all examples, as TypeScript and as JavaScript, without a look at their types. */
export function writtenExamples(): Written {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-api-')));
  fs.mkdirSync(path.join(folder, 'node_modules'));
  fs.symlinkSync(ROOT, path.join(folder, 'node_modules', 'noetl-temporal'));
  fs.writeFileSync(path.join(folder, 'hello.yaml'), /^```yaml\n([^]*?)^```$/m.exec(page)![1]!);
  fs.copyFileSync(path.join(ROOT, PLACE, 'hello_world.json'), path.join(folder, 'history.json'));
  const files = API_EXAMPLES.map(({ name, code }) => {
    const file = path.join(folder, `${name}.mts`);
    fs.writeFileSync(file, code);
    fs.writeFileSync(
      path.join(folder, `${name}.mjs`),
      ts.transpile(code, { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }),
    );
    return file;
  });
  return { folder, files, remove: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

/** Writes all examples and compiles them with the declarations of `dist`, which takes some seconds. */
export function compiledExamples(): Written & { readonly errors: readonly string[] } {
  const written = writtenExamples();
  // As the page says, but for the types of Node, which are installed elsewhere.
  const config = path.join(written.folder, 'tsconfig.json');
  fs.writeFileSync(config, /^```json\n(.*"extends".*)\n```$/m.exec(page)![1]!);
  const parsed = ts.parseJsonConfigFileContent(
    ts.readConfigFile(config, (file) => fs.readFileSync(file, 'utf8')).config,
    ts.sys,
    written.folder,
  );
  const program = ts.createProgram(written.files, {
    ...parsed.options,
    typeRoots: [path.join(ROOT, 'node_modules', '@types')],
  });
  const { diagnostics } = program.emit();
  const errors = [...parsed.errors, ...ts.getPreEmitDiagnostics(program), ...diagnostics].map(
    ({ file, messageText }) =>
      `${path.basename(file?.fileName ?? '')}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
  );
  return { ...written, errors };
}

/** Runs one of them. @returns what it printed; what went wrong, where it ended otherwise than well */
export async function runExample(
  folder: string,
  { name }: ApiExample,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { finished } = start(process.execPath, [`${name}.mjs`], env, folder);
  const { code, stdout, stderr } = await finished;
  return code === 0 ? stdout : `exit code ${code}\n${stdout}${stderr}`;
}
