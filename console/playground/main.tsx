import { render } from 'preact';
import { applyTheme, setTheme, themeNow } from '../shell/theme';
import { Playground } from './page';

// As on the pages of the site beside it, until somebody chooses here.
const ofSite = localStorage.getItem('vitepress-theme-appearance');
if (themeNow() === 'system' && (ofSite === 'light' || ofSite === 'dark')) setTheme(ofSite);
applyTheme();
const root = document.getElementById('console');
if (root) render(<Playground />, root);
