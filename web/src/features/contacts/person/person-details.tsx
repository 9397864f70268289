import type { ProfileBody, PublicProfile } from 'doorman-client';
import { useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { FoldedText } from '../../../ui/list/folded-text.tsx';
import { Skeleton } from '../../../ui/list/skeleton.tsx';
import { PROFILE_NAMES } from '../../account/model/profile-names.ts';
import styles from './person-details.module.css';
import { findGender, tidyBio } from './person-facts.ts';

const BIO_LINES = 8;

type PublicField = keyof PublicProfile & keyof ProfileBody;
const PLACED = ['nickname', 'avatar', 'bio', 'gender', 'phone'] as const;

/** The fields that a user filled in; nothing if there are none. */
export function PersonDetails({ profile }: { profile: PublicProfile | undefined }) {
  const { people: texts, shell } = useTexts();
  if (!profile)
    return (
      <div className={styles.card} role="status" aria-busy="true" aria-label={shell.loading}>
        <Skeleton height={12} width="30%" />
        <Skeleton height={12} width="85%" marginTop={12} />
        <Skeleton height={12} width="60%" marginTop={10} />
      </div>
    );
  const bio = tidyBio(profile.bio);
  const { phone } = profile;
  const gender = findGender(profile.gender);
  const others = otherFieldsOf(profile);
  if (bio === '' && phone === '' && gender === undefined && others.length === 0) return null;
  return (
    <dl className={styles.card}>
      {bio !== '' && (
        <div>
          <dt>{texts.about}</dt>
          <dd>
            <Bio key={bio} bio={bio} />
          </dd>
        </div>
      )}
      {gender !== undefined && (
        <div>
          <dt>{texts.gender}</dt>
          <dd>{texts.genders[gender]}</dd>
        </div>
      )}
      {phone !== '' && (
        <div>
          <dt>{texts.phone}</dt>
          <dd>
            <bdi dir="ltr" className={styles.phone}>
              {phone}
            </bdi>{' '}
            <span className={styles.quiet}>{texts.phoneMasked}</span>
          </dd>
        </div>
      )}
      {others.map(({ name, value }) => (
        <div key={name}>
          <dt>{texts.otherFields[name]}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What the user filled in of the fields that have no place of their own. */
function otherFieldsOf(profile: PublicProfile) {
  const names = PROFILE_NAMES.filter(
    (name): name is Exclude<PublicField, (typeof PLACED)[number]> =>
      name in profile && !PLACED.some((placed) => placed === name),
  );
  return names.map((name) => ({ name, value: profile[name] })).filter(({ value }) => value !== '');
}

/** The bio as plain text without links; a long one is folded at first, so that the actions below it stay on the screen. */
function Bio({ bio }: { bio: string }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <FoldedText
      lines={BIO_LINES}
      isWhole={isWhole}
      onFold={() => setWhole(!isWhole)}
      className={styles.bio}
      button={{ className: styles.more }}
      dir="auto"
      data-testid="profile-bio"
    >
      {bio}
    </FoldedText>
  );
}
