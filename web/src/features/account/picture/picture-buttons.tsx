import { Suspense, useRef, useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { WhileLoading } from '../../../ui/controls/while-loading.tsx';
import { lazyView } from '../../../ui/page/lazy-view.tsx';
import styles from './picture-buttons.module.css';

const CropDialog = lazyView(() => import('./crop-dialog.tsx'), 'CropDialog');

interface PictureButtonsProps {
  hasPicture: boolean;
  onRemove: () => void;
  /** The user has another picture now. */
  onSaved: () => void;
}

/** Chooses a file for the user's picture, which is uploaded once its square was chosen, and removes the picture. */
export function PictureButtons({ hasPicture, onRemove, onSaved }: PictureButtonsProps) {
  const texts = useTexts().settings.picture;
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File>();
  const close = () => setFile(undefined);
  const label = hasPicture ? texts.change : texts.choose;
  return (
    <div className={styles.buttons}>
      <Button variant="default" onClick={() => input.current?.click()} data-testid="choose-picture">
        {label}
      </Button>
      {hasPicture && (
        <Button variant="subtle" onClick={onRemove} data-testid="remove-picture">
          {texts.remove}
        </Button>
      )}
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        aria-label={label}
        onChange={({ currentTarget }) => {
          setFile(currentTarget.files?.[0]);
          // So that the same file can be chosen again.
          currentTarget.value = '';
        }}
        data-testid="picture-file"
      />
      {file && (
        <Suspense fallback={<WhileLoading onEscape={close} />}>
          <CropDialog file={file} onClose={close} onSaved={onSaved} />
        </Suspense>
      )}
    </div>
  );
}
