/** What `doctor` says of one thing. */
export interface Finding {
  readonly subject: string;
  /** `note`: something will not work, or will be fetched, but nothing needed is missing. */
  readonly status: 'ok' | 'note' | 'missing';
  readonly found: string;
  /** What to do about it; one suggestion a line. */
  readonly fix?: readonly string[];
}

export type Found = Omit<Finding, 'subject'>;
