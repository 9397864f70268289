import type { Texts } from '../../i18n/en.ts';
import type { SettingsView } from '../account/model/views.ts';
import type { PushHereView } from './this-device-push.ts';

/** How it stands with notifications in one word; absent until it is known. What holds on all devices comes first. */
export function pushSummary(
  { state, error }: Pick<PushHereView, 'state' | 'error'>,
  settings: SettingsView | undefined,
): keyof Texts['settings']['states'] | undefined {
  if (settings?.pushEnabled === false) return 'nowhere';
  if (error !== undefined) return 'failing';
  if (state === 'on' && settings?.dndEnabled === true) return 'dnd';
  return state;
}
