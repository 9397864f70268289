import { useMemo } from 'react';
import { useReadable, useStores } from '../../data/hooks.ts';
import { Store } from '../../data/store.ts';
import type { BaseStores } from '../../data/stores.ts';
import { useOwnAccount } from './model/hooks.ts';
import { changedFields, type ProfileEdits } from './profile-fields.ts';

const NONE: ProfileEdits = {};

const known = new WeakMap<BaseStores, Store<ProfileEdits>>();

/** Unsaved edits. They survive navigation inside the page, and are dropped when the user changes. */
function editsOf(stores: BaseStores): Store<ProfileEdits> {
  const before = known.get(stores);
  if (before) return before;
  const edits = new Store(NONE);
  const { session } = stores;
  let user = userOf(stores);
  session.subscribe(() => {
    if (userOf(stores) !== user) edits.set(NONE);
    user = userOf(stores);
  });
  known.set(stores, edits);
  return edits;
}

function userOf({ session }: BaseStores): string | undefined {
  const view = session.getSnapshot();
  return view.state === 'signed_in' ? view.session.userId : undefined;
}

interface ProfileEditing {
  readonly edits: ProfileEdits;
  readonly change: (edits: ProfileEdits) => void;
  /** Drops all edits, or those of `saved` that have not changed since. */
  readonly drop: (saved?: ProfileEdits) => void;
}

/** The unsaved edits of the profile, which all components share. */
export function useProfileEdits(): ProfileEditing {
  const stores = useStores();
  const store = editsOf(stores);
  const edits = useReadable(store);
  return useMemo(
    () => ({
      edits,
      change: (changed) => store.set({ ...store.getSnapshot(), ...changed }),
      drop: (saved) => store.set(saved ? without(store.getSnapshot(), saved) : NONE),
    }),
    [store, edits],
  );
}

export function useHasProfileEdits(): boolean {
  const { edits } = useProfileEdits();
  const { profile } = useOwnAccount();
  return profile !== undefined && Object.keys(changedFields(profile, edits)).length > 0;
}

/** The edits but for those in `saved`; a field that was changed during the save stays. */
function without(edits: ProfileEdits, saved: ProfileEdits): ProfileEdits {
  const left = Object.entries(edits).filter(([field, value]) => saved[field as keyof ProfileEdits] !== value); // the keys of ProfileEdits
  return Object.fromEntries(left);
}
