/**
 * Guards against operations that take much longer than they are charged for, so that the host never has to interrupt
 * JavaScript, which can end its process. Decides nothing: the error is not a `TemplateError`, but makes the caller fail
 * as a whole (in a workflow, the workflow task, which Temporal repeats).
 */

/** Milliseconds of one activation, or of one evaluation outside of workflows: far more than the limits allow. */
const PATIENCE = 2000;

// Not properties of an object: the SDK freezes what modules that workflows share export.
let clock: (() => number) | undefined;
let since: number | undefined;

/** The watch of this process or sandbox. */
export const hostWatch = {
  /** @param hosts the host's clock, in milliseconds; without one there is no limit */
  use(hosts: (() => number) | undefined): void {
    clock = hosts;
    since = undefined;
  },

  /** Begins an activation, which is measured as a whole. */
  begin(): void {
    since = clock?.();
  },

  /**
   * @param began what this returned when it was first asked by the same evaluation
   * @throws Error when too much time has passed
   */
  ask(began?: number): number | undefined {
    if (!clock) return undefined;
    const now = clock();
    const from = since ?? began ?? now;
    const took = now - from;
    if (took <= PATIENCE) return from;
    throw new Error(
      `templates take too long: ${took.toFixed(0)} ms so far, at most ${String(PATIENCE)} ms. This machine is overloaded, or an operation takes more time than it is charged for`,
    );
  },
};
