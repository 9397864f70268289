import type { hashInline } from '../http/inline-hashes.ts';

type InlineHashes = ReturnType<typeof hashInline>;

/** Features of browsers that the page does not use: no injected script could use them either. */
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
 * Headers of the document and the service worker: the page loads only its own files and pictures, runs only the inline scripts that the
 * build wrote, calls only this service and cannot be framed (docs/decisions/012-serving-the-page.md).
 *
 * @param publicUrl the origin of this service
 * @param inline of the document
 */
export function pageHeaders(publicUrl: string, inline?: InlineHashes): Record<string, string> {
  return {
    'content-security-policy': contentSecurityPolicy(publicUrl, inline),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': UNUSED_FEATURES.map((feature) => `${feature}=()`).join(', '),
    'referrer-policy': 'no-referrer',
    ...strictTransport(publicUrl),
  };
}

/**
 * Headers of the files that documents load, whose own policies are those of the document: opened by themselves they run and load
 * nothing. Short, as on a slow line the headers of a dozen files take as long as the texts of the page.
 */
export function fileHeaders(publicUrl: string): Record<string, string> {
  return {
    'content-security-policy': "default-src 'none'",
    ...strictTransport(publicUrl),
  };
}

function strictTransport(publicUrl: string): Record<string, string> {
  return publicUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {};
}

function contentSecurityPolicy(
  publicUrl: string,
  { scripts, styles }: InlineHashes = { scripts: [], styles: [] },
): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    ["style-src 'self'", ...styles].join(' '),
    // Avatars may be anywhere (interface 2.1); a page that is served by https loads no http pictures. Those of messages are `blob:`.
    `img-src 'self' blob: https:${publicUrl.startsWith('https:') ? '' : ' http:'}`,
    "font-src 'self'",
    // In older Safaris 'self' does not include the scheme of the socket.
    `connect-src 'self' ${publicUrl.replace(/^http/, 'ws')}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
