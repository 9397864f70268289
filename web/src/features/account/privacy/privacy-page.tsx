import { useTexts } from '../../../i18n/texts.tsx';
import { Choice } from '../../../ui/controls/choice.tsx';
import { FetchedRows } from '../../../ui/list/loading.tsx';
import { SettingsPage } from '../../../ui/list/section.tsx';
import styles from '../../../ui/list/settings.module.css';
import { usePrivacy } from './use-privacy.ts';

/** Who can reach the user, and what others see of them: a question in each line. */
export function PrivacyPage() {
  const { settings, shell } = useTexts();
  const texts = settings.privacy;
  const { fetched, shown, change } = usePrivacy();
  return (
    <SettingsPage title={shell.titles.privacy}>
      <FetchedRows fetched={fetched}>
        {() => (
          <>
            <Question
              name="messages"
              texts={texts.messages}
              value={shown.messages}
              onChange={(messages) => change({ messages })}
            />
            <Question
              name="friend-requests"
              texts={texts.friendRequests}
              value={shown.friendRequests}
              onChange={(friendRequests) => change({ friendRequests })}
            />
            <Question
              name="presence"
              texts={texts.presence}
              value={shown.presence}
              onChange={(presence) => change({ presence })}
            />
            <Question
              name="read-receipts"
              texts={texts.readReceipts}
              value={shown.readReceipts ? 'on' : 'off'}
              onChange={(value) => change({ readReceipts: value === 'on' })}
            />
            <Question
              name="listed"
              texts={texts.listed}
              value={shown.listed ? 'on' : 'off'}
              onChange={(value) => change({ listed: value === 'on' })}
            />
          </>
        )}
      </FetchedRows>
    </SettingsPage>
  );
}

interface QuestionProps<V extends string> {
  name: string;
  /** The question, and for each answer its word and what it means. */
  texts: { title: string; answers: Record<V, { label: string; says: string }> };
  value: V;
  onChange: (value: V) => void;
}

function Question<V extends string>({ name, texts, value, onChange }: QuestionProps<V>) {
  const { title, answers } = texts;
  const values = Object.keys(answers) as V[]; // exactly the keys of its type
  return (
    <div className={styles.section}>
      <Choice
        label={title}
        value={value}
        options={values.map((one) => ({ value: one, label: answers[one].label }))}
        onChange={onChange}
        testId={`privacy-${name}`}
      />
      <p className={styles.says}>{answers[value].says}</p>
    </div>
  );
}
