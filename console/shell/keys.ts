/** What pages can do by key, and in the palette. */
import { useEffect, useRef } from 'preact/hooks';
import { keptValue, keepValue } from '../parts/kept';

export interface PageAction {
  readonly name: string;
  /** A single character. */
  readonly key?: string;
  readonly run: () => void;
}

const mounted = new Set<{ readonly current: readonly PageAction[] }>();

/** Offers actions while the component is there. */
export function useActions(actions: readonly PageAction[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    mounted.add(latest);
    return () => void mounted.delete(latest);
  }, []);
}

export function actionsNow(): readonly PageAction[] {
  return [...mounted].flatMap(({ current }) => current);
}

const KEPT = 'single-keys';
let areOn = keptValue(KEPT) !== 'off';

/** Whether single keys do something: who speaks to the computer may not want it. */
export function singleKeys(on = areOn): boolean {
  if (on !== areOn) keepValue(KEPT, on ? 'on' : 'off');
  return (areOn = on);
}

interface Following {
  /** Opens the palette, or the list of shortcuts. */
  readonly onOpen: (what: 'search' | 'keys') => void;
  /** `g` and a letter: a page. */
  readonly onGo: (letter: string) => void;
}

/** @returns a function that ends it */
export function followKeys({ onOpen, onGo }: Following): () => void {
  let isGoing = false;
  const pressed = (event: KeyboardEvent): void => {
    const { key, target } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    const wasGoing = isGoing;
    isGoing = false;
    let act: (() => void) | undefined;
    if (isCommand && key.toLowerCase() === 'k') act = () => onOpen('search');
    else if (!isCommand && !event.altKey && areOn && !isTyping(target as Element)) {
      if (wasGoing) act = () => onGo(key);
      else if (key === '?') act = () => onOpen('keys');
      else if (key === 'g') act = () => (isGoing = true);
      else act = actionsNow().find((action) => action.key === key)?.run;
    }
    if (!act || event.defaultPrevented) return;
    event.preventDefault();
    act();
  };
  addEventListener('keydown', pressed);
  return () => removeEventListener('keydown', pressed);
}

function isTyping(target: Element): boolean {
  return (
    target.closest(
      'input:not([type=checkbox], [type=range]), textarea, select, [contenteditable], dialog',
    ) !== null
  );
}
