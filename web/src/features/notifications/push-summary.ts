import type { Texts } from '../../i18n/en.ts';
import type { SettingsView } from '../account/model/views.ts';
import type { ThisDevicePushView } from './this-device-push.ts';

/** The state of notifications as one word; absent until it is known. The settings for all devices come first. */
export function pushSummary(
  { state, error }: Pick<ThisDevicePushView, 'state' | 'error'>,
  settings: SettingsView | undefined,
): keyof Texts['settings']['states'] | undefined {
  if (settings?.pushEnabled === false) return 'nowhere';
  if (error !== undefined) return 'failing';
  if (state === 'on' && settings?.dndEnabled === true) return 'dnd';
  return state;
}
