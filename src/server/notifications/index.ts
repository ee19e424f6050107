export { Notifier, type NotifierOptions, SENDERS } from './notifier';
