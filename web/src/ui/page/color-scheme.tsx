import { useEffect, useSyncExternalStore } from 'react';
import { useReadable } from '../../data/hooks.ts';
import { Store } from '../../data/store.ts';
import { printing } from './printing.ts';

export type ColorScheme = 'auto' | 'light' | 'dark';

/** The key is that of first-paint.js too. */
const KEY = 'doorman.color-scheme';
const DARK = matchMedia('(prefers-color-scheme: dark)');

const chosen = new Store<ColorScheme>(readChosen());

/** The colours that the user chose for this device, and their setter. */
export function useColorScheme(): [scheme: ColorScheme, choose: (scheme: ColorScheme) => void] {
  return [useReadable(chosen), choose];
}

function choose(scheme: ColorScheme): void {
  chosen.set(scheme);
  try {
    localStorage.setItem(KEY, scheme);
  } catch {
    // Without storage the choice holds until the page is closed.
  }
}

function readChosen(): ColorScheme {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === 'light' || stored === 'dark' ? stored : 'auto';
  } catch {
    return 'auto';
  }
}

/** Gives the document the chosen colours, or the device's, on paper the light ones, and the browser's bars those of the page. */
export function ColorOfWindow() {
  const scheme = useReadable(chosen);
  const isDeviceDark = useSyncExternalStore(onDeviceChange, () => DARK.matches);
  const isPrinting = useReadable(printing);
  const isDark = !isPrinting && (scheme === 'auto' ? isDeviceDark : scheme === 'dark');
  useEffect(() => {
    document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
    const page = getComputedStyle(document.body).backgroundColor;
    for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'))
      meta.content = page;
  }, [isDark]);
  useEffect(() => {
    const onStorage = ({ key }: StorageEvent) => {
      if (key === KEY) chosen.set(readChosen());
    };
    addEventListener('storage', onStorage);
    return () => removeEventListener('storage', onStorage);
  }, []);
  return null;
}

function onDeviceChange(listener: () => void): () => void {
  DARK.addEventListener('change', listener);
  return () => DARK.removeEventListener('change', listener);
}
