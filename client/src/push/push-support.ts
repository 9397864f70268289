/**
 * Whether this browser can show notifications of a closed page. On iOS and iPadOS that is so only for a page on the home
 * screen; until then the interfaces are not there at all.
 */
export function judgeSupport(): 'supported' | 'unsupported' | 'needs_home_screen' {
  if (typeof navigator === 'undefined' || typeof window === 'undefined') return 'unsupported';
  const isSupported =
    window.isSecureContext &&
    'serviceWorker' in navigator &&
    'PushManager' in window &&
    'Notification' in window;
  if (isSupported) return 'supported';
  return isAppleMobile() && !isOnHomeScreen() ? 'needs_home_screen' : 'unsupported';
}

/** An iPad says that it is a Mac; there is no Mac with a touch screen. */
function isAppleMobile(): boolean {
  const { userAgent, maxTouchPoints } = navigator;
  return /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}

function isOnHomeScreen(): boolean {
  const isStandalone = 'standalone' in navigator && navigator.standalone === true;
  return isStandalone || window.matchMedia('(display-mode: standalone)').matches;
}
