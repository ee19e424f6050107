export { dotOf } from './dot';
export { type Graph, type GraphArc, type GraphNode, graphOf } from './graph';
export { InjectError, injectGraph } from './inject';
export { mermaidOf } from './mermaid';
export { svgOf } from './svg';
