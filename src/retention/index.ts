export { parseRetention, type RetentionPolicy } from './policy';
export { type ExpiredExecution, removeExecutions } from './expired';
export { sweep, type Swept } from './sweep';
