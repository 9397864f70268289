import type { TObject, TSchema } from 'typebox';
import type { App } from '../../src/http/server.ts';

/** One way to call the service, as its definition says. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly isPublic: boolean;
  /** Whether it takes an API key instead of a token. */
  readonly isForKeys: boolean;
  readonly isEnglish: boolean;
  /** The fields of the body, if there is one. */
  readonly body?: TObject;
  readonly query?: TObject;
  /** The schema of a 200, if the definition has one. */
  readonly answer?: TSchema;
}

/** Every route under `/api/`, from the definitions themselves, so that new ones are included. */
export function apiRoutes(app: App): Route[] {
  return app.definedRoutes
    .filter(({ route }) => route.url.startsWith('/api/'))
    .map(({ route: { method, url, config, schema = {} } }) => {
      // Our schemas are TypeBox objects, one for each code.
      const { body, querystring, response } = schema as Schemas;
      const answer = response?.[200];
      return {
        method: String(method),
        path: url,
        isPublic: config?.access === 'public',
        isForKeys: config?.access === 'key',
        isEnglish: url.startsWith('/api/push/'),
        ...(body && { body }),
        ...(querystring && { query: querystring }),
        ...(answer && { answer }),
      };
    });
}

interface Schemas {
  readonly body?: TObject;
  readonly querystring?: TObject;
  readonly response?: Record<number, TSchema>;
}

/** The part of JSON Schema that our fields use. */
export interface Field {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Field[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly items?: Field;
}

export function fieldsOf(schema: TObject): [name: string, field: Field][] {
  return Object.entries(schema.properties);
}

/** An object with the required fields, each with the simplest value that its schema allows. */
export function plainest(schema: TObject): Record<string, unknown> {
  const required: readonly string[] = schema.required ?? [];
  return Object.fromEntries(
    fieldsOf(schema)
      .filter(([name]) => required.includes(name))
      .map(([name, field]) => [name, name === 'subscription' ? plainSubscription() : plainValue(field)]),
  );
}

export function plainSubscription() {
  return { endpoint: 'https://push.example.net/send/1', keys: { p256dh: 'BA'.repeat(20), auth: 'AAAA' } };
}

function plainValue(field: Field): unknown {
  if (field.anyOf) return plainValue(field.anyOf[0] ?? {});
  if (field.enum) return field.enum[0];
  switch (field.type) {
    case 'string':
      return 'a'.repeat(Math.max(field.minLength ?? 0, 6));
    case 'boolean':
      return true;
    case 'integer':
      return field.minimum ?? 0;
    case 'array':
      return [];
    default:
      throw new Error(`no plain value for ${JSON.stringify(field)}`);
  }
}

/** Values that a field must refuse, by what is wrong with them. */
export function wrongValues(field: Field): [fault: string, value: unknown][] {
  if (field.anyOf) {
    const kinds = field.anyOf.map(({ type = '' }) => type);
    return [...typeFaults(kinds), ['another word', 'gibberish']];
  }
  if (field.enum)
    return [...typeFaults([field.type ?? '']), ['another word', 'gibberish'], ['another number', 2]];
  if (field.type !== 'string') {
    const faults = typeFaults([field.type ?? '']);
    if (field.type !== 'integer') return faults;
    const { minimum = 0, maximum = 0 } = field;
    return [
      ...faults,
      ['a fraction', 1.5],
      ['below', minimum - 1],
      ['above', maximum + 2],
      ['a numeral', '1'],
    ];
  }
  const { minLength = 0, maxLength } = field;
  return [
    ...typeFaults(['string']),
    ['U+0000', 'aaaa\0aaa'],
    ['a lone high surrogate', 'aaaa\ud800aaa'],
    ['a lone low surrogate', 'aaaa\udc00'],
    ...(maxLength === undefined ? [] : [['too long by one', '𝓪'.repeat(maxLength + 1)] as [string, string]]),
    ...(minLength === 0 ? [] : [['too short by one', '𝓪'.repeat(minLength - 1)] as [string, string]]),
  ];
}

function typeFaults(kinds: readonly string[]): [fault: string, value: unknown][] {
  const values: [kind: string, fault: string, value: unknown][] = [
    ['integer', 'a number', 7],
    ['number', 'a fraction', 0.5],
    ['boolean', 'a boolean', true],
    ['null', 'null', null],
    ['array', 'an array', ['aaaaaaa']],
    ['object', 'an object', { aaaaaaa: 1 }],
    ['string', 'a string', 'true'],
  ];
  return values.filter(([kind]) => !kinds.includes(kind)).map(([, fault, value]) => [fault, value]);
}
