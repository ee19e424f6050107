/** Pages of the catalog's lists. */
import { type CatalogLine, type Listed, type ListPage } from '../../../store';
import { type AskedPage } from '../declare';

export function pageFrom({ page, page_size }: AskedPage): ListPage {
  return { page, size: page_size };
}

/** As the official clients expect it, with `meta` as far as we write it. */
export function asPage({ lines, hasNext }: Listed<CatalogLine>, { page, page_size }: AskedPage): object {
  return {
    entries: lines.map(({ registered_at, about, ...line }) => ({
      ...line,
      meta: { registered_at },
      // The official GUI makes its workspaces of these.
      payload: { metadata: { name: line.name, ...about } },
    })),
    pagination: { page, page_size, has_next: hasNext },
  };
}
