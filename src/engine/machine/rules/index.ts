export { begin, pursue } from './agenda';
export { collectAnew } from './collect';
export { ask } from './ask';
export { failTask, stand } from './moves';
export { isBoundary, sinkPlace } from './place';
export { dropSinks } from './sink';
export { enter, exit, outlives } from './stages';
export { visit } from './visits';
