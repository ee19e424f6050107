/** What happens when it is time and the execution before is still running; Temporal's words for it. */
export const OVERLAPS = {
  skip: 'SKIP',
  'buffer-one': 'BUFFER_ONE',
  'buffer-all': 'BUFFER_ALL',
  'cancel-other': 'CANCEL_OTHER',
  'terminate-other': 'TERMINATE_OTHER',
  'allow-all': 'ALLOW_ALL',
} as const;

export type Overlap = keyof typeof OVERLAPS;
