import { QuestionIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { useConnection, useIsOffline, useOwnId } from '../../../data/hooks.ts';
import { useLanguage, useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { VisuallyHidden } from '../../../ui/controls/visually-hidden.tsx';
import { EmptyState } from '../../../ui/list/empty-state.tsx';
import { LoadFailed } from '../../../ui/list/load-failed.tsx';
import { PageHeader } from '../../../ui/page/page-header.tsx';
import { NeedsConnection } from '../list/needs-connection.tsx';
import { displayName } from '../model/display-name.ts';
import { usePerson, usePresences } from '../model/hooks.ts';
import { useProfile } from '../model/use-profile.ts';
import { personPage as en } from '../person-page.en.ts';
import { personPage as zh } from '../person-page.zh.ts';
import { BlockedNotice } from './blocked-notice.tsx';
import { OwnNotice } from './own-notice.tsx';
import { PersonActions } from './person-actions.tsx';
import { PersonDetails } from './person-details.tsx';
import { PersonHero } from './person-hero.tsx';
import styles from './person-page.module.css';
import { useProfileBack } from './use-profile-back.ts';

/** A user's profile, and their relation to the signed-in user. */
export function PersonPage({ userId }: { userId: string }) {
  const [tries, setTries] = useState(0);
  const back = useProfileBack(userId);
  // The profile is requested when a component subscribes; a new `key` is a new subscription, so a new try.
  return (
    <Person key={`${userId} ${tries}`} userId={userId} back={back} onRetry={() => setTries(tries + 1)} />
  );
}

interface PersonProps {
  userId: string;
  back: string;
  onRetry: () => void;
}

function Person({ userId, back, onRetry }: PersonProps) {
  const { people, shell } = useTexts();
  const texts = { en, zh }[useLanguage().language];
  const { profile, state } = useProfile(userId);
  const known = usePerson(userId);
  // A name that arrives before the profile would move what is grey below it.
  const [wasKnown] = useState(known.name !== '');
  const isLive = useConnection().state === 'live';
  const needsConnection = useIsOffline() && !profile;
  // Without a connection it is requested again by itself.
  const hasFailed = state === 'failed' && isLive && !needsConnection;
  // What is below the details waits for them, or it would move.
  const isWaiting = !profile && !needsConnection && !hasFailed;
  usePresences([userId]);
  const isOwn = useOwnId() === userId;

  if (state === 'gone')
    return (
      <>
        <PageHeader title={shell.titles.profile} titleText={people.nobodyHere} back={back} />
        <EmptyState
          icon={<QuestionIcon />}
          title={people.nobodyHere}
          action={<Button href="/people">{texts.toPeople}</Button>}
        >
          {people.nobodyHereSays}
        </EmptyState>
      </>
    );

  const { username, avatar } = profile ?? known;
  const knownName = wasKnown || !isWaiting ? known.name : '';
  const name = profile ? displayName(profile) : knownName;
  const person = { id: userId, name, username, avatar, isOnline: profile?.isOnline };
  return (
    <>
      <PageHeader
        title={
          <>
            {shell.titles.profile}
            <VisuallyHidden component="bdi">{name}</VisuallyHidden>
          </>
        }
        titleText={name || shell.titles.profile}
        back={back}
        column="text"
      />
      <div className={styles.scroller} data-testid="profile">
        <div className={styles.column}>
          {(name !== '' || !(needsConnection || hasFailed)) && <PersonHero person={person} isOwn={isOwn} />}
          {isOwn ? <OwnNotice /> : <BlockedNotice userId={userId} />}
          {needsConnection && <NeedsConnection title={texts.profileOffline} />}
          {hasFailed && (
            <LoadFailed title={texts.profileFailed} onRetry={onRetry}>
              {texts.profileFailedSays}
            </LoadFailed>
          )}
          {!needsConnection && !hasFailed && <PersonDetails profile={profile} />}
          {name !== '' && !isWaiting && <PersonActions person={person} isOwn={isOwn} />}
        </div>
      </div>
    </>
  );
}
