/** Where a page is among all. @param query page numbers start at 1 @param total null: not known yet, but more than this page */
export function paginationOf(query: { page: number; page_size: number }, total: number | null) {
  const { page, page_size } = query;
  return {
    page,
    page_size,
    total_events: total,
    total_pages: total === null ? null : Math.max(1, Math.ceil(total / page_size)),
    has_next: total === null || page * page_size < total,
    has_prev: page > 1,
  };
}
