import { ImageIcon } from '@primer/octicons-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useReadable, useStores } from '../../../data/hooks.ts';
import { IconButton } from '../../../ui/controls/button.tsx';
import { WhileLoading } from '../../../ui/controls/while-loading.tsx';
import { lazyView } from '../../../ui/page/lazy-view.tsx';
import type { Thread } from '../model/thread.ts';
import styles from './attach-picture.module.css';
import { usePictureTexts } from './texts.ts';

const PictureLook = lazyView(() => import('./picture-look.tsx'), 'PictureLook');

interface AttachPictureProps {
  className: string | undefined;
  /** The name of the peer. */
  name: string;
  thread: Thread;
}

/** Takes a picture that the user chooses, pastes or drops, and shows it before it is sent; nothing where the service takes none. */
export function AttachPicture({ className = '', name, thread }: AttachPictureProps) {
  const texts = usePictureTexts();
  const { registration } = useStores();
  const isOn = useReadable(registration.pictures) ?? false;
  const isRefused = useReadable(thread.view).messages.at(-1)?.error === 'pictures_off';
  useEffect(() => {
    // Where it took some before, a refusal says so.
    if (isRefused || !isOn) void registration.ask();
  }, [registration, isRefused, isOn]);
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File>();
  const isDropping = useFiles(isOn, setFile);
  if (!isOn) return <span className={className} />;
  return (
    <>
      <IconButton
        variant="subtle"
        className={className}
        aria-label={texts.attach}
        title={texts.attach}
        onClick={() => input.current?.click()}
        data-testid="attach"
      >
        <ImageIcon />
      </IconButton>
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        aria-label={texts.attach}
        onChange={({ currentTarget }) => {
          setFile(currentTarget.files?.[0]);
          // So that the same file can be chosen again.
          currentTarget.value = '';
        }}
        data-testid="attach-file"
      />
      {isDropping && <div className={styles.drop} aria-hidden="true" />}
      {file && (
        <Suspense fallback={<WhileLoading onEscape={() => setFile(undefined)} />}>
          <PictureLook file={file} name={name} thread={thread} onClose={() => setFile(undefined)} />
        </Suspense>
      )}
    </>
  );
}

/** Takes the first picture of what is pasted or dropped on the page, wherever; other files are left to the page, which says so. */
function useFiles(isOn: boolean, take: (file: File) => void): boolean {
  const [isDropping, setDropping] = useState(false);
  useEffect(() => {
    if (!isOn) return undefined;
    const onFiles = (event: DragEvent | ClipboardEvent) => {
      setDropping(false);
      const data = event instanceof DragEvent ? event.dataTransfer : event.clipboardData;
      const file = [...(data?.files ?? [])].find(({ type }) => type.startsWith('image/'));
      // A paste that has text, as from a document, inserts the text. An open dialog is about something else.
      const hasText = event.type === 'paste' && data?.types.includes('text/plain');
      if (!file || hasText || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      event.stopPropagation();
      take(file);
    };
    const onDrag = ({ type, dataTransfer, relatedTarget }: DragEvent) => {
      const hasFiles = dataTransfer?.types.includes('Files') ?? false;
      setDropping(hasFiles && !(type === 'dragleave' && relatedTarget === null));
    };
    const ending = new AbortController();
    const { signal } = ending;
    document.addEventListener('paste', onFiles, { signal });
    document.addEventListener('drop', onFiles, { signal });
    document.addEventListener('dragenter', onDrag, { signal });
    document.addEventListener('dragleave', onDrag, { signal });
    return () => ending.abort();
  }, [isOn, take]);
  return isDropping;
}
