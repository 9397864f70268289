import { useId } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { BrandMark } from '../../ui/page/brand-mark.tsx';
import type { SettingsView } from '../account/model/views.ts';
import styles from './preview-choice.module.css';

type Preview = SettingsView['pushPreview'];

const PREVIEWS: readonly Preview[] = ['full', 'sender', 'none'];

interface PreviewChoiceProps {
  value: Preview;
  onChange: (preview: Preview) => void;
}

/** How much of a message notifications show; each choice with an example. */
export function PreviewChoice({ value, onChange }: PreviewChoiceProps) {
  const texts = useTexts().settings;
  const name = useId();
  return (
    <fieldset className={styles.choice} data-testid="preview">
      <legend className={styles.label}>{texts.preview}</legend>
      <div className={styles.options}>
        {PREVIEWS.map((preview) => (
          <label key={preview} className={styles.option}>
            <span className={styles.name}>
              <input
                type="radio"
                className={styles.radio}
                name={name}
                value={preview}
                checked={preview === value}
                onChange={() => onChange(preview)}
              />
              {texts.previews[preview]}
            </span>
            <Example preview={preview} />
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Example({ preview }: { preview: Preview }) {
  const { settings: texts, shell } = useTexts();
  return (
    <span className={styles.example} aria-hidden="true">
      <BrandMark size={24} />
      <span className={styles.text}>
        <span className={styles.title}>{preview === 'none' ? shell.brand : texts.exampleName}</span>
        <span className={styles.body}>{preview === 'full' ? texts.exampleText : texts.exampleNew}</span>
      </span>
    </span>
  );
}
