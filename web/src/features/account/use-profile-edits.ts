import { useMemo } from 'react';
import { useKept, useReadable } from '../../data/hooks.ts';
import { keptForUser } from '../../data/kept.ts';
import { Store } from '../../data/store.ts';
import { useOwnAccount } from './model/hooks.ts';
import { changedFields, type ProfileEdits } from './profile-fields.ts';

const NONE: ProfileEdits = {};

const keptEdits = keptForUser(() => new Store(NONE));

interface ProfileEditing {
  readonly edits: ProfileEdits;
  readonly change: (edits: ProfileEdits) => void;
  /** Drops all edits, or those of `saved` that have not changed since. */
  readonly drop: (saved?: ProfileEdits) => void;
}

/** The unsaved edits of the profile, which all components share. They survive navigation inside the page. */
export function useProfileEdits(): ProfileEditing {
  const store = useKept(keptEdits);
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
