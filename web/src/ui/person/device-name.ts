/** What browsers call themselves in a User-Agent. The more special come first: their User-Agents also name those below them. */
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
 * A short name of a device for users, such as `Firefox on Linux`; an unknown device keeps the name it gave.
 *
 * @param device its User-Agent, or the name that an earlier call returned
 * @param on puts browser and system together in a language
 */
export function deviceName(device: string, on: (browser: string, system: string) => string): string {
  const first = (known: typeof BROWSERS) => known.find(([pattern]) => pattern.test(device))?.[1];
  const browser = first(BROWSERS);
  const system = first(SYSTEMS);
  if (browser && system) return on(browser, system);
  return browser ?? system ?? device;
}
