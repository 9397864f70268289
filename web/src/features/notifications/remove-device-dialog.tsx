import { DoormanError, type PushDevice } from 'doorman-client';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { ConfirmDialog } from '../../ui/controls/confirm-dialog.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { usePushHere } from './this-device-push.ts';

interface RemoveDeviceDialogProps {
  device: PushDevice;
  /** In words. */
  name: string;
  isHere: boolean;
  isOpen: boolean;
  onClose: () => void;
  onRemoved: () => void;
}

/** Asks before a device is told no more. */
export function RemoveDeviceDialog({
  device,
  name,
  isHere,
  isOpen,
  onClose,
  onRemoved,
}: RemoveDeviceDialogProps) {
  const texts = useTexts().settings;
  const { api } = useStores().doorman;
  const { here } = usePushHere();
  const toast = useToast();
  const remove = async () => {
    // Here the browser is to know of it too.
    if (isHere) await here.disable();
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
