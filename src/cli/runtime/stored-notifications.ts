/** The outbox of notifications, at a facade or in the database. */
import { type NotificationDocument, type NotificationStatus, StoredNotifications } from '../../server/store';
import { askServer, facadeAddressOf } from './remote/facade-client';
import { type StoreOptions, withStore } from './store';

export interface NotificationOutbox {
  /** Newest first. */
  list(filter: { status?: NotificationStatus; limit: number }): Promise<readonly NotificationDocument[]>;
  /** @param which ids, or all that are dead @returns the ids of those that will be sent */
  retry(which: readonly string[] | 'dead'): Promise<readonly string[]>;
}

/** @param server the address of a facade; otherwise the database is asked */
export function outboxOf({
  server,
  ...where
}: StoreOptions & { readonly server?: string }): NotificationOutbox {
  return server === undefined ? inDatabase(where) : atFacade(server);
}

function inDatabase(where: StoreOptions): NotificationOutbox {
  return {
    list: (filter) => withStore(where, ({ query }) => new StoredNotifications(query).list(filter)),
    retry: (which) => withStore(where, ({ query }) => new StoredNotifications(query).retry(which)),
  };
}

function atFacade(option: string): NotificationOutbox {
  const server = facadeAddressOf(option);
  const all = '/api/notifications';
  return {
    async list({ status, limit }) {
      const query = new URLSearchParams({ limit: String(limit), ...(status && { status }) });
      const answer = await askServer<{ notifications: NotificationDocument[] }>(server, `${all}?${query}`);
      return answer.notifications;
    },
    async retry(which) {
      const body = which === 'dead' ? { status: 'dead' } : { ids: which };
      return (await askServer<{ ids: string[] }>(server, `${all}/retry`, { method: 'POST', body })).ids;
    },
  };
}
