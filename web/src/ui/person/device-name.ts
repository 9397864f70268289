/** What a browser calls itself, the more special first: each of these also names those it descends from. */
const BROWSERS: readonly [pattern: RegExp, name: string][] = [
  [/\bEdg(?:e|A|iOS)?\b/, 'Edge'],
  [/\bOPR\b|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\b|\bSamsung Internet\b/, 'Samsung Internet'],
  [/\bVivaldi\b/, 'Vivaldi'],
  [/\bMicroMessenger\b|\bWeChat\b/, 'WeChat'],
  [/\bFxiOS\b|\bFirefox\b/, 'Firefox'],
  [/\bCriOS\b|Chrom(?:e|ium)\b/, 'Chrome'],
  [/\bSafari\b/, 'Safari'],
];

const SYSTEMS: readonly [pattern: RegExp, name: string][] = [
  [/\biPhone\b|\biPod\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b|\bChromeOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b|\bmacOS\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/**
 * A device in the words of a person, of its User-Agent or of what this gave before; what is not known stays as it is.
 *
 * @param on says `Firefox on Linux` in a language
 */
export function deviceName(told: string, on: (browser: string, system: string) => string): string {
  const first = (known: typeof BROWSERS) => known.find(([pattern]) => pattern.test(told))?.[1];
  const browser = first(BROWSERS);
  const system = first(SYSTEMS);
  if (browser && system) return on(browser, system);
  return browser ?? system ?? told;
}
