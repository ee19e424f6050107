/** Pagination of responses. */
import { z } from 'zod';

export const pagination = z.object({
  page: z.number(),
  page_size: z.number(),
  total_events: z.number(),
  total_pages: z.number(),
  has_next: z.boolean(),
  has_prev: z.boolean(),
});

/** @param query page numbers start at 1 */
export function paginationOf(
  query: { page: number; page_size: number },
  total: number,
): z.input<typeof pagination> {
  const { page, page_size } = query;
  return {
    page,
    page_size,
    total_events: total,
    total_pages: Math.max(1, Math.ceil(total / page_size)),
    has_next: page * page_size < total,
    has_prev: page > 1,
  };
}
