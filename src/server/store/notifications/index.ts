export {
  NOTIFICATION_STATUSES,
  type NotificationDocument,
  type NotificationStatus,
  StoredNotifications,
} from './notifications';
export { endSilence, putSilence, type Silence, silenceOf, silencesInForce } from './silences';
