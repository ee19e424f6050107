/** What a page looks like, as this browser remembers it. */
import { useState } from 'preact/hooks';

const keyOf = (name: string): string => `noetl.${name}`;

/** Undefined where nothing is remembered. */
export function keptValue(name: string): string | undefined {
  try {
    return localStorage.getItem(keyOf(name)) ?? undefined;
  } catch {
    return undefined;
  }
}

/** A browser may keep nothing. */
export function keepValue(name: string, value: string): void {
  try {
    localStorage.setItem(keyOf(name), value);
  } catch {
    // Then it lasts as long as the page.
  }
}

/** @param initial where nothing is remembered */
export function useKept(name: string, initial: string): [string, (value: string) => void] {
  const [value, setValue] = useState(() => keptValue(name) ?? initial);
  return [
    value,
    (to) => {
      setValue(to);
      keepValue(name, to);
    },
  ];
}
