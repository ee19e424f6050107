import { type Graph, graphOf, mermaidOf, svgOf } from '../../language/dsl/graph';
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
  readonly coverage?: string;
}

/** `graph FILE`: the steps of a playbook and their transitions. */
export async function drawGraph(playbook: string, flags: Flags): Promise<void> {
  const draw = formatIn(FORMATS, flags.format);
  const { plan } = loadPlaybook(playbook);
  const graph = graphOf(plan);
  const coverage = flags.coverage === undefined ? undefined : touchesOf(flags.coverage);
  await print(draw(coverage ? withCoverage(graph, plan, coverage) : graph));
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
