/** Pages of the catalog's lists. */
import { z } from 'zod';
import { type CatalogLine, type Listed, type ListPage } from '../../../store';

/** Lines of a page. The official clients ask for none in particular, and get the first. */
const LARGEST = 1000;
/** Beyond it, filter. */
const LAST = 10_000;

const size = { description: 'Entries of a page' };
const number = { description: 'From 1' };

/** Fields of a body. */
export const pageOfBody = {
  page: z.int().min(1).max(LAST).default(1).meta(number),
  page_size: z.int().min(1).max(LARGEST).default(LARGEST).meta(size),
};

/** Query parameters. */
export const pageOfQuery = {
  page: z.coerce.number().int().min(1).max(LAST).default(1).meta(number),
  page_size: z.coerce.number().int().min(1).max(LARGEST).default(LARGEST).meta(size),
};

interface Asked {
  readonly page: number;
  readonly page_size: number;
}

export function pageFrom({ page, page_size }: Asked): ListPage {
  return { page, size: page_size };
}

export const pagination = z.object({ page: z.int(), page_size: z.int(), has_next: z.boolean() });

/** As the official clients expect it, with `meta` as far as we write it. */
export function asPage({ lines, hasNext }: Listed<CatalogLine>, { page, page_size }: Asked): object {
  return {
    entries: lines.map(({ registered_at, ...line }) => ({ ...line, meta: { registered_at } })),
    pagination: { page, page_size, has_next: hasNext },
  };
}
