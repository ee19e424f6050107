export { beginAgenda, pursue } from './agenda';
export { collectAnew } from './collect';
export { askFrameRules } from './ask';
export { failTask, stand } from './moves';
export { isBoundary, sinkPlace } from './place';
export { dropSinks } from './sink';
export { enterStep, exit, outlives } from './stages';
export { visitTask } from './visits';
