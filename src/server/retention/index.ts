export { parseRetention, type RetentionPolicy } from './policy';
export { type ExpiredExecution } from './expired';
export { sweep, type Swept } from './sweep';
