/** Pages of lists, by number. */
import { z } from 'zod';
import { integerFrom } from './schema';

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
  page: integerFrom(1).max(LAST).default(1).meta(number),
  page_size: integerFrom(1).max(LARGEST).default(LARGEST).meta(size),
};

export interface AskedPage {
  readonly page: number;
  readonly page_size: number;
}

export const paginationSchema = z.object({ page: z.int(), page_size: z.int(), has_next: z.boolean() });
