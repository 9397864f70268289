import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { BusyButton } from '../../../ui/controls/busy-button.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { Dialog } from '../../../ui/controls/dialog.tsx';
import { ErrorText } from '../../../ui/controls/error-text.tsx';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { useSubmit } from '../../../ui/controls/use-submit.ts';
import { encodePart, readPicture } from '../../../ui/pictures/encode-picture.ts';
import { useOwnAccountStore } from '../model/hooks.ts';
import {
  type Crop,
  inside,
  largestCrop,
  MAX_BYTES,
  MAX_ZOOM,
  moved,
  type Size,
  sidesOf,
  squareOf,
} from './crop.ts';
import styles from './crop-dialog.module.css';

interface CropDialogProps {
  file: Blob;
  onClose: () => void;
  onSaved: () => void;
}

/** Lets the user choose the square of a file that becomes their picture, and uploads it. */
export function CropDialog({ file, onClose, onSaved }: CropDialogProps) {
  const texts = useTexts().settings.picture;
  const [image, setImage] = useState<HTMLImageElement | 'unreadable'>();
  useEffect(() => {
    let isWanted = true;
    readPicture(file).then(
      (read) => isWanted && setImage(read),
      () => isWanted && setImage('unreadable'),
    );
    return () => {
      isWanted = false;
    };
  }, [file]);
  return (
    <Dialog isOpen onClose={onClose} title={texts.crop} testId="crop-dialog">
      {image === 'unreadable' ? (
        <Unreadable onClose={onClose} />
      ) : image === undefined ? (
        <div className={styles.view} />
      ) : (
        <Cropping image={image} onClose={onClose} onSaved={onSaved} />
      )}
    </Dialog>
  );
}

function Unreadable({ onClose }: { onClose: () => void }) {
  const { settings, shell } = useTexts();
  return (
    <>
      <p role="alert">{settings.picture.unreadable}</p>
      <div className={styles.buttons}>
        <Button onClick={onClose} data-testid="crop-cancel">
          {shell.close}
        </Button>
      </div>
    </>
  );
}

function Cropping({ image, onClose, onSaved }: Omit<CropDialogProps, 'file'> & { image: HTMLImageElement }) {
  const { settings, shell } = useTexts();
  const texts = settings.picture;
  const own = useOwnAccountStore();
  const toast = useToast();
  const size: Size = { width: image.naturalWidth, height: image.naturalHeight };
  const [crop, setCrop] = useState(() => largestCrop(size));
  const { isPending, error, submit } = useSubmit();
  const save = async () => {
    await own.uploadAvatar(await encodeSquare(image, size, crop));
    toast.say(settings.saved);
    onSaved();
    onClose();
  };
  return (
    <>
      <CropView image={image} size={size} crop={crop} onMove={setCrop} />
      <p className={styles.hint}>{texts.move}</p>
      <label className={styles.zoom}>
        {texts.zoom}
        <input
          type="range"
          // Of no form: the one of the profile is around the dialog.
          form=""
          min={1}
          max={MAX_ZOOM}
          step={0.05}
          value={crop.zoom}
          onChange={(event) => setCrop(inside(size, { ...crop, zoom: event.currentTarget.valueAsNumber }))}
          data-testid="crop-zoom"
        />
      </label>
      <ErrorText error={error} />
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose} data-testid="crop-cancel">
          {shell.cancel}
        </Button>
        <BusyButton
          label={settings.save}
          pending={settings.saving}
          isPending={isPending}
          onClick={() => void submit(save)}
          testId="crop-save"
        />
      </div>
    </>
  );
}

/** @throws {Error} if the browser cannot encode it within what the service takes */
async function encodeSquare(image: HTMLImageElement, size: Size, crop: Crop): Promise<Blob> {
  for (const side of sidesOf(size, crop)) {
    const target = { width: side, height: side, bytes: MAX_BYTES };
    const blob = await encodePart(image, squareOf(size, crop), target);
    if (blob) return blob;
  }
  throw new Error('no encoding is small enough');
}

/** How far an arrow key moves the part, in sides of it. */
const STEP = 0.05;
const ARROWS: Record<string, readonly [right: number, down: number]> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

interface CropViewProps {
  image: HTMLImageElement;
  size: Size;
  crop: Crop;
  onMove: (crop: Crop) => void;
}

/** The part that is chosen, in the circle that others see; moved by pointer and arrow keys. */
function CropView({ image, size, crop, onMove }: CropViewProps) {
  const texts = useTexts().settings.picture;
  const view = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => view.current?.focus(), []);
  const last = useRef<{ x: number; y: number }>(undefined);
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    const side = Math.round(element.clientWidth * devicePixelRatio);
    element.width = side;
    element.height = side;
    const { x, y, width, height } = squareOf(size, crop);
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, x, y, width, height, 0, 0, side, side);
  });
  const onPointerMove = ({ clientX, clientY, currentTarget }: PointerEvent) => {
    if (!last.current) return;
    const side = currentTarget.clientWidth;
    // The picture follows the pointer, so the part moves the other way.
    onMove(moved(size, crop, (last.current.x - clientX) / side, (last.current.y - clientY) / side));
    last.current = { x: clientX, y: clientY };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const [right, down] = ARROWS[event.key] ?? [];
    if (right === undefined || down === undefined) return;
    event.preventDefault();
    onMove(moved(size, crop, right, down));
  };
  return (
    <div
      ref={view}
      className={styles.view}
      // The arrow keys are its own.
      role="application"
      aria-label={texts.part}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is moved by keys
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        last.current = { x: event.clientX, y: event.clientY };
      }}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        last.current = undefined;
      }}
      onPointerCancel={() => {
        last.current = undefined;
      }}
      data-testid="crop-view"
    >
      <canvas ref={canvas} className={styles.canvas} />
    </div>
  );
}
