import { useMemo } from 'react';
import { useReadable, useStores } from '../../data/hooks.ts';
import { Store } from '../../data/store.ts';
import type { BaseStores } from '../../data/stores.ts';
import { useOwnAccount } from './model/hooks.ts';
import { changedFields, type ProfileEdits } from './profile-fields.ts';

const NONE: ProfileEdits = {};

const known = new WeakMap<BaseStores, Store<ProfileEdits>>();

/** Edits that are not saved, kept while the page is open, also when the user goes elsewhere; dropped with the session. */
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

interface Edited {
  readonly edits: ProfileEdits;
  readonly change: (edits: ProfileEdits) => void;
  /** Forgets all of them, or those that are still as they were saved. */
  readonly forget: (saved?: ProfileEdits) => void;
}

export function useProfileEdits(): Edited {
  const stores = useStores();
  const cell = editsOf(stores);
  const edits = useReadable(cell);
  return useMemo(
    () => ({
      edits,
      change: (changed) => cell.set({ ...cell.getSnapshot(), ...changed }),
      forget: (saved) => cell.set(saved ? without(cell.getSnapshot(), saved) : NONE),
    }),
    [cell, edits],
  );
}

export function useHasProfileEdits(): boolean {
  const { edits } = useProfileEdits();
  const { profile } = useOwnAccount();
  return profile !== undefined && Object.keys(changedFields(profile, edits)).length > 0;
}

/** What was written while it was being saved stays. */
function without(edits: ProfileEdits, saved: ProfileEdits): ProfileEdits {
  const left = Object.entries(edits).filter(([field, value]) => saved[field as keyof ProfileEdits] !== value); // its own names
  return Object.fromEntries(left);
}
