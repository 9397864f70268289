import { useEffect, useSyncExternalStore } from 'react';
import { useReadable } from '../../data/hooks.ts';
import { Store } from '../../data/store.ts';
import { onStoredElsewhere, readStored, writeStored } from '../../stored.ts';
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
  writeStored(KEY, scheme);
}

function readChosen(): ColorScheme {
  const stored = readStored(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'auto';
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
  useEffect(() => onStoredElsewhere(KEY, () => chosen.set(readChosen())), []);
  return null;
}

function onDeviceChange(listener: () => void): () => void {
  DARK.addEventListener('change', listener);
  return () => DARK.removeEventListener('change', listener);
}
