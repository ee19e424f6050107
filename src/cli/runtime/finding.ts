/** A finding of `doctor`. */
export interface DoctorFinding {
  readonly subject: string;
  /** `note`: a feature will not work, or something will be downloaded, but nothing required is missing. */
  readonly status: 'ok' | 'note' | 'missing';
  readonly message: string;
  /** How to fix it; one suggestion per line. */
  readonly fix?: readonly string[];
}

export type Observed = Omit<DoctorFinding, 'subject'>;
