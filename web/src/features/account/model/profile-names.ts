import { PROFILE_FIELDS, type ProfileBody } from 'doorman-client';

/** The fields of a profile, in the order in which the service lists them. */
export const PROFILE_NAMES = Object.keys(PROFILE_FIELDS) as (keyof ProfileBody)[]; // all keys of a constant
