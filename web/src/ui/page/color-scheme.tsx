import { useComputedColorScheme } from '@mantine/core';
import { useEffect } from 'react';

/** Gives the browser's bars the colour of the page, also if the user chose another colour scheme than the device's. */
export function ColorOfWindow() {
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    const page = getComputedStyle(document.body).backgroundColor;
    for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'))
      meta.content = page;
  }, [scheme]);
  return null;
}
