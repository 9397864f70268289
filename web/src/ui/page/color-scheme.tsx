import { useComputedColorScheme } from '@mantine/core';
import { useEffect } from 'react';

/** The browser's own bars take the colour of the page, also where the user wants another one than the device. */
export function ColorOfWindow() {
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    const page = getComputedStyle(document.body).backgroundColor;
    for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'))
      meta.content = page;
  }, [scheme]);
  return null;
}
