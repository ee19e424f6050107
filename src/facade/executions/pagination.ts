/** Where a page is among all. */
export interface Pagination {
  page: number;
  page_size: number;
  total_events: number;
  total_pages: number;
  has_next: boolean;
  has_prev: boolean;
}

/** @param query page numbers start at 1 */
export function paginationOf(query: { page: number; page_size: number }, total: number): Pagination {
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
