/** How many letters a misspelling may differ by. PORT and HOST are too close to HOME, PATH, USER and POST: only their case may differ. */
function allowedDistance(setting: string): number {
  return setting.length < 5 ? 0 : setting.length < 9 ? 1 : 2;
}

/**
 * A sentence, without values, for each name in the environment that is nearly the name of a setting. The shorter the setting,
 * the closer a name must be: other programs use most short words.
 */
export function findMisspellings(
  env: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): string[] {
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (!value || settings.includes(name)) continue;
    const meant = settings.find((setting) => isClose(name.toUpperCase(), setting, allowedDistance(setting)));
    if (meant !== undefined) warnings.push(`${name} is not a setting; did you mean ${meant}?`);
  }
  return warnings;
}

/** Variables that Kubernetes sets for a service called `doorman`: `DOORMAN_SERVICE_HOST`, `DOORMAN_PORT`, `DOORMAN_PORT_3000_TCP` and others. */
const OF_KUBERNETES = /^DOORMAN_(SERVICE|PORT)(_|$)/;

/** A sentence, without values, for each name in the environment that begins with `DOORMAN_` and is not set by Kubernetes. */
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

function isClose(name: string, setting: string, allowed: number): boolean {
  return Math.abs(name.length - setting.length) <= allowed && distance(name, setting) <= allowed;
}

/** How many letters must be changed, added or removed to make one from the other (Levenshtein). */
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
