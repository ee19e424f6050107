export {
  NOTIFICATION_STATUSES,
  type NotificationDocument,
  type NotificationFilter,
  type NotificationStatus,
  StoredNotifications,
} from './notifications';
