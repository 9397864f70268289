import { avatarUrl, type Gender, type OwnUser, PROFILE_FIELDS, type ProfileBody } from 'doorman-client';
import { codePoints } from '../../ui/fields/form-fields.ts';
import { PROFILE_NAMES } from './model/profile-names.ts';

export type ProfileField = keyof ProfileBody;

/** The fields that have a place of their own in the form, from top to bottom. */
const PLACED = ['nickname', 'avatar', 'bio', 'phone', 'email', 'gender'] as const;
/** The fields of the form below, each a line of text. */
export const OTHER_FIELDS = PROFILE_NAMES.filter(
  (name): name is Exclude<ProfileField, (typeof PLACED)[number]> => !PLACED.some((placed) => placed === name),
);
const FORM_FIELDS: readonly ProfileField[] = [...PLACED, ...OTHER_FIELDS];

export const GENDERS = ['', 'female', 'male', 'secret'] as const satisfies Gender[];

type ProfileValues = Required<ProfileBody>;
/** The fields that the user changed and has not saved. */
export type ProfileEdits = ProfileBody;

export const MAX_BIO = PROFILE_FIELDS.bio.maxLength;

/** The values in the form, in its order: the profile with the edits. */
export function shownProfile(profile: OwnUser, edits: ProfileEdits): ProfileValues {
  const values = Object.fromEntries(FORM_FIELDS.map((name) => [name, profile[name]])) as ProfileValues; // all fields
  return { ...values, gender: toGender(profile.gender), ...edits };
}

function toGender(word: string): Gender {
  return GENDERS.find((gender) => gender === word) ?? '';
}

/** The edits that differ from the profile, as they are sent: an empty nickname becomes the username. */
export function changedFields(profile: OwnUser, edits: ProfileEdits): ProfileBody {
  const changed: ProfileBody = {};
  for (const [field, value] of Object.entries(edits)) {
    const sent = toSent(field as ProfileField, value, profile.username); // the keys of ProfileEdits
    if (sent !== profile[field as ProfileField]) Object.assign(changed, { [field]: sent });
  }
  return changed;
}

function toSent(field: ProfileField, value: string, username: string): string {
  if (field === 'nickname') return value.trim() || username;
  return field === 'bio' ? value : value.trim();
}

/** The texts of the body that the service would refuse. @param baseUrl the address of the service */
export function findInvalid(body: ProfileBody, baseUrl: string): Exclude<ProfileField, 'gender'>[] {
  return PROFILE_NAMES.filter((name) => name !== 'gender').filter((name) => {
    const value = body[name];
    if (value === undefined) return false;
    if (name === 'avatar' && value !== '' && avatarUrl(value, baseUrl) === undefined) return true;
    const { maxLength = Number.POSITIVE_INFINITY, pattern = '' }: Bounds = PROFILE_FIELDS[name];
    return codePoints(value) > maxLength || !new RegExp(pattern, 'u').test(value);
  });
}

interface Bounds {
  readonly maxLength?: number;
  readonly pattern?: string;
}
