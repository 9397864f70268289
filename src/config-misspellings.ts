/** A name as short as PORT or HOST is two letters away from HOME, PATH, USER and POST: only its case may differ. */
function allowedDistance(setting: string): number {
  return setting.length < 5 ? 0 : setting.length < 8 ? 1 : 2;
}

/**
 * Names in the environment that are nearly the name of a setting, a sentence each; without their values. The shorter
 * the setting, the nearer a name must be: other programs use most short words.
 */
export function findMisspellings(
  env: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): string[] {
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (!value || settings.includes(name)) continue;
    const meant = settings.find((setting) => isNear(name.toUpperCase(), setting, allowedDistance(setting)));
    if (meant !== undefined) warnings.push(`${name} is not a setting; did you mean ${meant}?`);
  }
  return warnings;
}

/** The address of a service called `doorman`: `DOORMAN_SERVICE_HOST`, `DOORMAN_PORT`, `DOORMAN_PORT_3000_TCP` and others. */
const OF_KUBERNETES = /^DOORMAN_(SERVICE|PORT)(_|$)/;

/** Names in the environment that look like ours and are no setting, a sentence each; without their values. */
export function findUnknown(
  env: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): string[] {
  const unknown = Object.keys(env).filter((name) => name.startsWith('DOORMAN_') && !OF_KUBERNETES.test(name));
  return unknown.map((name) => {
    const meant = name.slice('DOORMAN_'.length);
    return `${name} is not a setting${settings.includes(meant) ? `; ${meant} is` : ''}`;
  });
}

function isNear(name: string, setting: string, allowed: number): boolean {
  return Math.abs(name.length - setting.length) <= allowed && distance(name, setting) <= allowed;
}

/** How many letters must be changed, added or left out to make one from the other (Levenshtein). */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++)
      current[column] = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1),
      );
    above = current;
  }
  return above[b.length] ?? 0;
}
