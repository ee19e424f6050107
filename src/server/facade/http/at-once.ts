import { type FacadeError } from './errors';

/** Limits what is done for a caller at a time, where each costs a connection; further ones are refused. */
export class AtOnce {
  private readonly busy = new Map<string, number>();

  constructor(
    private readonly limit: number,
    private readonly refusal: (busy: number, caller: string) => FacadeError,
  ) {}

  /** @throws FacadeError the refusal; errors of the act */
  async during<T>(caller: string, act: () => Promise<T>): Promise<T> {
    const before = this.busy.get(caller) ?? 0;
    if (before >= this.limit) throw this.refusal(before, caller);
    this.busy.set(caller, before + 1);
    try {
      return await act();
    } finally {
      const left = this.busy.get(caller)! - 1;
      if (left > 0) this.busy.set(caller, left);
      else this.busy.delete(caller);
    }
  }
}
