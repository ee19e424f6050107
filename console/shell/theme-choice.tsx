import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Chips } from '../parts/chips';
import { setTheme, type Theme, themeNow } from './theme';

const THEMES = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

export function ThemeChoice(): JSX.Element {
  const [theme, setShown] = useState(themeNow);
  const choose = (chosen: Theme): void => {
    setTheme(chosen);
    setShown(chosen);
  };
  return <Chips label="Theme" of={THEMES} isChosen={(one) => one === theme} onChoose={choose} />;
}
