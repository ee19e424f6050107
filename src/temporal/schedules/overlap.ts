/** What happens if the previous execution is still running at the scheduled time; Temporal's names. */
export const OVERLAPS = {
  skip: 'SKIP',
  'buffer-one': 'BUFFER_ONE',
  'buffer-all': 'BUFFER_ALL',
  'cancel-other': 'CANCEL_OTHER',
  'terminate-other': 'TERMINATE_OTHER',
  'allow-all': 'ALLOW_ALL',
} as const;

export type Overlap = keyof typeof OVERLAPS;
