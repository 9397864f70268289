import { useTexts } from '../../i18n/texts.tsx';
import { Button, type ButtonProps } from './button.tsx';
import { Loader } from './loader.tsx';
import { VisuallyHidden } from './visually-hidden.tsx';

interface BusyButtonProps extends Omit<ButtonProps, 'loading' | 'disabled' | 'leftSection' | 'children'> {
  label: string;
  /** The label while it is pending; default: `label`. */
  pending?: string;
  isPending: boolean;
  type?: 'submit' | 'button';
  /** Not called while it is pending; a form has to check that itself. */
  onClick?: () => void;
  testId?: string;
}

/** A button for an action that takes time. It is not disabled while pending, as it would lose the focus. */
export function BusyButton({
  label,
  pending,
  isPending,
  type = 'button',
  onClick,
  testId,
  ...looks
}: BusyButtonProps) {
  const texts = useTexts().shell;
  return (
    <>
      <Button
        {...looks}
        type={type}
        aria-disabled={isPending}
        onClick={isPending ? undefined : onClick}
        leftSection={isPending && <Loader size="xs" />}
        data-testid={testId}
      >
        {isPending && pending !== undefined ? pending : label}
      </Button>
      <VisuallyHidden role="status">{isPending ? (pending ?? texts.loading) : ''}</VisuallyHidden>
    </>
  );
}
