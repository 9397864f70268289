import type { BaseStores } from './stores.ts';
import type { SessionView } from './views.ts';

export function ownIdOf(session: SessionView): string {
  return session.state === 'signed_in' ? session.session.userId : '';
}

/**
 * For what a view keeps while the user is elsewhere in the page, as its search: the same until another user signs in.
 *
 * @param create what a user starts with
 */
export function keptForUser<T>(create: () => T): (stores: BaseStores, ownId: string) => T {
  const all = new WeakMap<BaseStores, { ownId: string; value: T }>();
  return (stores, ownId) => {
    const known = all.get(stores);
    if (known?.ownId === ownId) return known.value;
    const value = create();
    all.set(stores, { ownId, value });
    return value;
  };
}
