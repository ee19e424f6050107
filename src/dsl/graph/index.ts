export { type DrawnArc, type DrawnNode, type Drawing } from './drawing';
export { dotOf } from './dot';
export { graphOf } from './graph';
export { injectGraph } from './inject';
export { mermaidOf } from './mermaid';
export { type Graph, type GraphArc, type GraphNode } from './model';
export { svgOf } from './svg';
