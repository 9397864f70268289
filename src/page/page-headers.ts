/** What of a browser the page never uses, so that nothing that got into it could. */
const UNUSED_FEATURES = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
];

/**
 * Headers of every answer of the page: it loads nothing but its own files and pictures, runs nothing that stands in a
 * document, talks to this service alone, and is shown in no frame (docs/decisions/012-serving-the-page.md).
 *
 * @param publicUrl our own origin
 */
export function pageHeaders(publicUrl: string): Record<string, string> {
  return {
    'content-security-policy': contentSecurityPolicy(publicUrl),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': UNUSED_FEATURES.map((feature) => `${feature}=()`).join(', '),
    'referrer-policy': 'no-referrer',
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  };
}

function contentSecurityPolicy(publicUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Avatars may lie anywhere (interface 2.1); a browser loads http pictures only where the page itself comes by http.
    `img-src 'self' https:${publicUrl.startsWith('https:') ? '' : ' http:'}`,
    "font-src 'self'",
    // Older Safaris do not take 'self' for the socket's scheme too.
    `connect-src 'self' ${publicUrl.replace(/^http/, 'ws')}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
