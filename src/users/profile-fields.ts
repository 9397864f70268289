import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import { columnsOf } from '../db/fragments.ts';
import { oneOf, text } from '../http/validation.ts';
import { refuseInvisibleNickname, refuseUnsafeAvatar } from './names.ts';

interface ProfileField {
  /** What a user may set. The bounds are our choice: interface 2.1 does not show them. */
  readonly schema: TSchema;
  /** Where others see it: nowhere, in the public profile, or there and in the directory. */
  readonly seenIn: 'nothing' | 'profile' | 'directory';
}

/**
 * The fields of a profile, in the order of interface 4.4. Each is a text column of `users` with the default '', belongs to {@link OwnUser},
 * can be changed by its user, is in an export and an import, and is erased with the account.
 */
export const PROFILE_FIELDS = {
  nickname: {
    schema: text({ maxLength: 64, refine: refuseInvisibleNickname, description: 'Empty: the username' }),
    seenIn: 'directory',
  },
  email: {
    schema: text({
      maxLength: 254,
      pattern: '^$|^[^\\s@]+@[^\\s@]+$',
      description: 'A plausible address, or empty',
    }),
    seenIn: 'nothing',
  },
  avatar: {
    schema: text({
      maxLength: 2048,
      refine: refuseUnsafeAvatar,
      description: 'http(s) without credentials, relative to the root of the service, or empty',
    }),
    seenIn: 'directory',
  },
  gender: { schema: oneOf('Gender', ['', 'male', 'female', 'secret']), seenIn: 'directory' },
  bio: { schema: text({ maxLength: 1000 }), seenIn: 'directory' },
  phone: { schema: text({ maxLength: 32, pattern: '^[0-9+\\-(). ]*$' }), seenIn: 'profile' },
} satisfies Record<string, ProfileField>;

type Fields = typeof PROFILE_FIELDS;
type Name = keyof Fields;
/** The names of the fields that others see there. */
type SeenIn<Place> = { [N in Name]: Fields[N]['seenIn'] extends Place ? N : never }[Name];

export type Profile = { [N in Name]: Static<Fields[N]['schema']> };

const NAMES = Object.keys(PROFILE_FIELDS) as Name[]; // all keys of a constant

/** For `asTable`. */
export const PROFILE_TABLE = mapNames(NAMES, () => 'text' as const);
export const PROFILE_COLUMNS = columnsOf<Profile>(PROFILE_TABLE);
export const EMPTY_PROFILE: Profile = mapNames(NAMES, () => '' as const);

export function profileOf(row: Profile): Profile {
  return mapNames(NAMES, (name) => row[name]) as Profile; // each value is of its name
}

/** The fields as a user sends them. */
export const OptionalFields = Type.Partial(Type.Object(mapNames(NAMES, schemaOf) as SentFields)).properties; // each schema is of its name
type SentFields = { [N in Name]: Fields[N]['schema'] };

export const OwnFields = answersOf(NAMES);
export const PublicFields = avatarFirst(answersOf(namesSeenIn('profile', 'directory')));
export const DirectoryFields = avatarFirst(answersOf(namesSeenIn('directory')));

/** Puts the avatar first, as interface 4.6 to 4.8 print the fields. */
export function avatarFirst<Fields extends { readonly avatar: TSchema }>({ avatar, ...others }: Fields) {
  return { avatar: avatar as Fields['avatar'], ...others };
}

function namesSeenIn<Place extends ProfileField['seenIn']>(...places: Place[]): SeenIn<Place>[] {
  const isSeen = (name: Name): name is SeenIn<Place> =>
    places.some((place) => place === PROFILE_FIELDS[name].seenIn);
  return NAMES.filter(isSeen);
}

/** Schemas of fields in answers. They have no bounds, since an earlier version may have stored what this one refuses. */
function answersOf<N extends Name>(names: readonly N[]) {
  const isChoice = (schema: TSchema) => 'enum' in schema;
  return mapNames(names, (name) => (isChoice(schemaOf(name)) ? schemaOf(name) : Type.String())) as {
    [Field in N]: TUnsafe<Profile[Field]>; // the type of the schema without its bounds
  };
}

function schemaOf(name: Name): TSchema {
  return PROFILE_FIELDS[name].schema;
}

function mapNames<N extends Name, Value>(names: readonly N[], toValue: (name: N) => Value) {
  return Object.fromEntries(names.map((name) => [name, toValue(name)])) as Record<N, Value>; // exactly these keys
}
