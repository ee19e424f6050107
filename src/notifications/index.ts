export { type Settings } from './companion';
export { type ChannelServices } from './deliver/channel';
export { Notifier, type NotifierOptions, SENDERS } from './notifier';
