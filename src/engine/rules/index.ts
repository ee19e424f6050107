export { begin, pursue } from './agenda';
export { ask } from './ask';
export { stand } from './moves';
export { isBoundary, madeOf, placeOf, sinkPlace } from './place';
export { dropSinks, leaveTask } from './sink';
export { enter, exit, outlives } from './stages';
export { visit } from './visit';
