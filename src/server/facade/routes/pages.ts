/** Pagination of responses. */
import { z } from 'zod';

export const eventPagination = z.object({
  page: z.number(),
  page_size: z.number(),
  total_events: z.number(),
  total_pages: z.number(),
  has_next: z.boolean(),
  has_prev: z.boolean(),
});
