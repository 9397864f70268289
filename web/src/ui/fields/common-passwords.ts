import listUrl from 'common-passwords?url';
import type { Doorman } from 'doorman-client';

let loading: Promise<ReadonlySet<string>> | undefined;

/**
 * Loads the passwords that the page warns of, in lower case: a file of the page, requested when a user is about to choose a password, once.
 * Empty where the operator turned it off (`PASSWORD_LIST`), or where the network fails: then the next call tries again.
 */
export function loadCommonPasswords(api: Pick<Doorman['api'], 'options'>): Promise<ReadonlySet<string>> {
  loading ??= load(api).catch(() => {
    loading = undefined;
    return new Set<string>();
  });
  return loading;
}

async function load(api: Pick<Doorman['api'], 'options'>): Promise<ReadonlySet<string>> {
  const { passwordList } = await api.options();
  if (passwordList === 'off') return new Set();
  const answer = await fetch(listUrl);
  if (!answer.ok) throw new Error(`${listUrl} answered ${answer.status}`);
  // Its head says where it is from.
  const [, words = ''] = (await answer.text()).split('\n\n');
  return new Set(words.trimEnd().split('\n'));
}
