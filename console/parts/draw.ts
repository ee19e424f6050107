import { type RefObject } from 'preact';
import { useEffect, useReducer, useRef } from 'preact/hooks';

/**
 * A value that changes more often than the page can be drawn: it is drawn once per frame.
 *
 * @param initial the value until the first change, and again when one of `on` changes
 * @param follow receives the function that changes it; returns a function that stops it
 */
export function useDrawn<T>(
  initial: T,
  follow: (change: (to: (before: T) => T) => void) => (() => void) | undefined,
  on: readonly unknown[],
): T {
  const state: RefObject<T> & { current: T } = useRef(initial);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    let frame = 0;
    state.current = initial;
    redraw(0);
    const end = follow((to) => {
      state.current = to(state.current);
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        redraw(0);
      });
    });
    return () => {
      end?.();
      cancelAnimationFrame(frame);
    };
  }, on);
  return state.current;
}
