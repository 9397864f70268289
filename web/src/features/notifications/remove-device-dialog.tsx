import { DoormanError, type PushDevice } from 'doorman-client';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { ConfirmDialog } from '../../ui/controls/confirm-dialog.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { useThisDevicePush } from './this-device-push.ts';

interface RemoveDeviceDialogProps {
  device: PushDevice;
  /** How the page calls the device. */
  name: string;
  isThisDevice: boolean;
  isOpen: boolean;
  onClose: () => void;
  onRemoved: () => void;
}

/** Asks before a device gets no more notifications. */
export function RemoveDeviceDialog({
  device,
  name,
  isThisDevice,
  isOpen,
  onClose,
  onRemoved,
}: RemoveDeviceDialogProps) {
  const texts = useTexts().settings;
  const { api } = useStores().doorman;
  const { thisDevice } = useThisDevicePush();
  const toast = useToast();
  const remove = async () => {
    // On this device the subscription of the browser ends as well.
    if (isThisDevice) await thisDevice.disable();
    else await api.pushUnsubscribe({ id: device.id }).catch(unlessGone);
    toast.say(texts.removed);
    onRemoved();
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={texts.removeAsk}
      confirm={texts.remove}
      isDangerous
      onConfirm={remove}
    >
      {texts.removeSays(name)}
    </ConfirmDialog>
  );
}

function unlessGone(error: unknown): void {
  if (!(error instanceof DoormanError && error.code === 404)) throw error;
}
