import { useEffect } from 'react';

/**
 * Keeps `--viewport-height` to what an on-screen keyboard leaves of the window, so that a composer stands on top of it;
 * iOS lays its keyboard over the page and tells nobody else.
 */
export function useViewportHeight(): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport) return;
    const { style } = document.documentElement;
    const follow = () => {
      // Zoomed in by hand, the page stays as it was laid out.
      const isCovered = viewport.scale === 1 && window.innerHeight - viewport.height > 80;
      if (isCovered) style.setProperty('--viewport-height', `${viewport.height}px`);
      else style.removeProperty('--viewport-height');
      if (isCovered) window.scrollTo(0, 0);
    };
    viewport.addEventListener('resize', follow);
    return () => {
      viewport.removeEventListener('resize', follow);
      style.removeProperty('--viewport-height');
    };
  }, []);
}
