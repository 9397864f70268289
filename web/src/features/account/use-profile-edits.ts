import { useMemo } from 'react';
import { usePage, useReadable } from '../../data/hooks.ts';
import { Store } from '../../data/store.ts';
import type { PageBase } from '../../data/stores.ts';
import { useOwn } from './model/hooks.ts';
import { changedFields, type ProfileEdits } from './profile-fields.ts';

const NONE: ProfileEdits = {};

const known = new WeakMap<PageBase, Store<ProfileEdits>>();

/** Edits that are not saved, kept while the page is open, also when the user goes elsewhere; dropped with the session. */
function editsOf(page: PageBase): Store<ProfileEdits> {
  const before = known.get(page);
  if (before) return before;
  const edits = new Store(NONE);
  const { session } = page;
  let user = userOf(page);
  session.subscribe(() => {
    if (userOf(page) !== user) edits.set(NONE);
    user = userOf(page);
  });
  known.set(page, edits);
  return edits;
}

function userOf({ session }: PageBase): string | undefined {
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
  const page = usePage();
  const cell = editsOf(page);
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
  const { profile } = useOwn();
  return profile !== undefined && Object.keys(changedFields(profile, edits)).length > 0;
}

/** What was written while it was being saved stays. */
function without(edits: ProfileEdits, saved: ProfileEdits): ProfileEdits {
  const left = Object.entries(edits).filter(([field, value]) => saved[field as keyof ProfileEdits] !== value); // its own names
  return Object.fromEntries(left);
}
