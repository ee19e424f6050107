export { Notifier, SENDERS } from './notifier';
