import fs from 'node:fs';
import path from 'node:path';
import { hasCode } from '../../language/errors';
import { type Graph, graphOf, injectGraph, mermaidOf, svgOf } from '../../language/dsl/graph';
import { UsageError } from '../errors';
import { type Touches, touchesIn, withCoverage } from '../../offline/proof';
import { formatIn } from '../input/format';
import { loadPlaybook, readText } from '../input/playbook';
import { print } from '../output/say';

const FORMATS: Readonly<Record<string, (graph: Graph) => string>> = {
  mermaid: mermaidOf,
  svg: svgOf,
  json: (graph) => JSON.stringify(graph, null, 2),
};

interface Flags {
  readonly format: string;
  readonly inject?: string;
  readonly coverage?: string;
}

/** `graph FILE`: the steps of a playbook and their transitions. */
export async function drawGraph(playbook: string, flags: Flags): Promise<void> {
  const draw = formatIn(FORMATS, flags.format);
  if (flags.inject !== undefined && flags.format !== 'mermaid')
    throw new UsageError(`--inject writes mermaid; it cannot be combined with --format ${flags.format}`);
  const { plan, file } = loadPlaybook(playbook);
  const graph = graphOf(plan);
  const drawn = draw(
    flags.coverage === undefined ? graph : withCoverage(graph, plan, touchesOf(flags.coverage)),
  );
  if (flags.inject === undefined) await print(drawn);
  else inject(flags.inject, file, drawn);
}

/** The file of a marker is relative to its page, or to the current folder. */
function inject(page: string, playbook: string, mermaid: string): void {
  const playbookFile = path.resolve(playbook);
  const isMeant = (file: string): boolean =>
    [path.dirname(page), '.'].some((folder) => path.resolve(folder, file) === playbookFile);
  try {
    const before = fs.readFileSync(page, 'utf8');
    const after = injectGraph(before, mermaid, isMeant);
    if (after !== before) fs.writeFileSync(page, after);
    process.stderr.write(`${page}: ${after === before ? 'is up to date' : 'written'}\n`);
  } catch (error) {
    if (hasCode(error, 'GRAPH_MARKER')) throw new UsageError(`${page}: ${error.message}`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(`${page}: cannot be ${code === 'ENOENT' ? 'found' : `read or written (${code})`}`);
  }
}

/** @throws UsageError if it is not the result of `coverage --json` */
function touchesOf(file: string): Touches {
  let touches: Touches | undefined;
  try {
    touches = touchesIn(JSON.parse(readText(file)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (!touches) throw new UsageError(`--coverage ${file}: expected what \`coverage --json\` prints`);
  return touches;
}
