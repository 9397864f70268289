import { useEffect } from 'react';

/**
 * Sets `--viewport-height` to the height that an on-screen keyboard leaves of the window, so that the composer stays above
 * it: iOS lays its keyboard over the page, and reports it to `visualViewport` alone.
 */
export function useViewportHeight(): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport) return;
    const { style } = document.documentElement;
    const onResize = () => {
      // While the user has zoomed in, the page keeps its layout.
      const isCovered = viewport.scale === 1 && window.innerHeight - viewport.height > 80;
      if (isCovered) style.setProperty('--viewport-height', `${viewport.height}px`);
      else style.removeProperty('--viewport-height');
      if (isCovered) window.scrollTo(0, 0);
    };
    viewport.addEventListener('resize', onResize);
    return () => {
      viewport.removeEventListener('resize', onResize);
      style.removeProperty('--viewport-height');
    };
  }, []);
}
