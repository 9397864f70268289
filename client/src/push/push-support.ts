/**
 * Whether this browser can show notifications of a closed page. iOS and iPadOS have the interfaces only in a page on the home
 * screen.
 */
export function detectSupport(): 'supported' | 'unsupported' | 'needs_home_screen' {
  if (typeof navigator === 'undefined' || typeof window === 'undefined') return 'unsupported';
  const isSupported =
    window.isSecureContext &&
    'serviceWorker' in navigator &&
    'PushManager' in window &&
    'Notification' in window;
  if (isSupported) return 'supported';
  return isAppleMobile() && !isOnHomeScreen() ? 'needs_home_screen' : 'unsupported';
}

/** An iPad claims to be a Mac; no Mac has a touch screen. */
function isAppleMobile(): boolean {
  const { userAgent, maxTouchPoints } = navigator;
  return /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}

function isOnHomeScreen(): boolean {
  const isStandalone = 'standalone' in navigator && navigator.standalone === true;
  return isStandalone || window.matchMedia('(display-mode: standalone)').matches;
}
