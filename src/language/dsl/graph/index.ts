export { graphOf } from './graph';
export { mermaidOf } from './mermaid';
export { type Graph } from './model';
export { svgOf } from './svg';
