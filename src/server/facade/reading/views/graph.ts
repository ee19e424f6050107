/** The steps of an execution's playbook, and which of them have run. */
import { graphOf } from '../../../../language/dsl/graph';
import { type ReadExecution } from '../../executions/recorded';
import { type PROGRESS } from '../../documents/executions';

export function graphIn(read: ReadExecution): object {
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
