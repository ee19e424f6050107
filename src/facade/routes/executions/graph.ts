/** `GET /api/executions/{id}/graph`: the steps of an execution's playbook, and which of them have run. */
import { z } from 'zod';
import { dotOf, graphOf, mermaidOf, svgOf } from '../../../dsl/graph';
import { readExecution, type ReadExecution } from '../../executions/recorded';
import { type Route, route } from '../../http/route';
import { type FacadeServices } from '../../services';
import { executionPath } from '../../executions/ids';

const PICTURES = {
  mermaid: { type: 'text/plain', draw: mermaidOf },
  dot: { type: 'text/vnd.graphviz', draw: dotOf },
  svg: { type: 'image/svg+xml', draw: svgOf },
} as const;
const FORMATS = ['json', 'mermaid', 'dot', 'svg'] as const;

const PROGRESS = ['waiting', 'running', 'done', 'failed'] as const;

const document = z
  .object({
    execution_id: z.string(),
    name: z.string(),
    path: z.string(),
    entry: z.string(),
    nodes: z.array(
      z.looseObject({
        step: z.string().nullable(),
        kinds: z.array(z.string()),
        status: z.enum(PROGRESS),
        runs: z.number().meta({ description: 'How often the step has started' }),
      }),
    ),
    arcs: z.array(
      z.looseObject({ from: z.string(), to: z.string().nullable(), when: z.string().optional() }),
    ),
  })
  .meta({ id: 'ExecutionGraph' });

export function graph({ client }: FacadeServices): readonly Route[] {
  return [
    route('GET /api/executions/{id}/graph', {
      scope: 'read',
      summary: 'The steps of the playbook of an execution, and their progress',
      params: executionPath,
      query: z.object({ format: z.enum(FORMATS).default('json') }),
      answers: {
        200: {
          description: 'The graph; pictures are those of `noetl-temporal graph`',
          body: document,
          content: {
            'text/plain': 'Mermaid',
            'text/vnd.graphviz': 'DOT',
            'image/svg+xml': 'A picture',
          },
        },
      },
      errors: [404, 502],
      async handle({ params: { id }, query: { format }, response }) {
        const read = await readExecution(client, id);
        if (format === 'json') return documentOf(read);
        const { type, draw } = PICTURES[format];
        response.type(type).send(draw(graphOf(read.plan)));
        return undefined;
      },
    }),
  ];
}

function documentOf(read: ReadExecution): z.input<typeof document> {
  const { nodes, ...graph } = graphOf(read.plan);
  const { state } = read;
  const running = new Set(Object.values(state.runs).map((run) => run.step));
  const progressOf = (step: string): (typeof PROGRESS)[number] => {
    if (running.has(step)) return 'running';
    if (!Object.hasOwn(state.results, step)) return 'waiting';
    return state.results[step]!.status === 'ok' ? 'done' : 'failed';
  };
  return {
    execution_id: read.id,
    ...graph,
    arcs: graph.arcs.map((arc) => ({ ...arc })),
    nodes: nodes.map((node) => ({
      ...node,
      kinds: [...node.kinds],
      status: node.step === null ? 'waiting' : progressOf(node.step),
      runs: node.step !== null && Object.hasOwn(state.runCounts, node.step) ? state.runCounts[node.step]! : 0,
    })),
  };
}
