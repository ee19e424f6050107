export {
  NOTIFICATION_STATUSES,
  type NotificationDocument,
  type NotificationStatus,
  StoredNotifications,
} from './notifications';
