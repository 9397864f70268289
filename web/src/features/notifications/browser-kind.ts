/** Whose settings have to be changed to allow what was refused. */
export type BrowserKind = 'firefox' | 'chrome' | 'safari' | 'android' | 'ios';

/** By the User-Agent; a browser that is not known is most likely made of Chromium. */
export function browserKind(userAgent: string): BrowserKind {
  if (/\biPhone\b|\biPad\b|\biPod\b/.test(userAgent)) return 'ios';
  if (/\bAndroid\b/.test(userAgent)) return 'android';
  if (/\bFirefox\//.test(userAgent)) return 'firefox';
  if (/\bVersion\/[\d.]+ .*Safari\//.test(userAgent)) return 'safari';
  return 'chrome';
}
