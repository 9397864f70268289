/** The kinds of browsers whose settings for notifications differ. */
export type BrowserKind = 'firefox' | 'chrome' | 'safari' | 'android' | 'ios';

/** Reads the User-Agent; an unknown browser is most likely based on Chromium. */
export function browserKind(userAgent: string): BrowserKind {
  if (/\biPhone\b|\biPad\b|\biPod\b/.test(userAgent)) return 'ios';
  if (/\bAndroid\b/.test(userAgent)) return 'android';
  if (/\bFirefox\//.test(userAgent)) return 'firefox';
  if (/\bVersion\/[\d.]+ .*Safari\//.test(userAgent)) return 'safari';
  return 'chrome';
}
