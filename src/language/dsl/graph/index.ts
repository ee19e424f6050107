export { graphOf } from './graph';
export { injectGraph } from './inject';
export { mermaidOf } from './mermaid';
export { type Graph } from './model';
export { svgOf } from './svg';
