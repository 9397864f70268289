import type { ComponentType } from 'react';
import { loadMoreTexts } from '../i18n/languages.ts';
import { type LazyView, lazyView } from '../ui/page/lazy-view.tsx';

/** A view that uses the texts of the settings. */
export function settingsView<Name extends string, Props extends object>(
  importFile: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
): LazyView<Props> {
  return lazyView(async () => (await Promise.all([importFile(), loadMoreTexts('settings')]))[0], name);
}
