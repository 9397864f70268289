// Generates the AsyncAPI 3.0 description of the socket from the schemas of the frames, with the examples of docs/protocol.md, which a
// test sends and compares.
import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { LOG_EVENTS } from '../src/events/log-events.ts';
import { SHAPES } from '../src/health/shapes.ts';
import { shareSchemas } from '../src/health/shared-schemas.ts';
import { FRAMES_IN, type FrameName } from '../src/sockets/frames-in.ts';
import { PATH, SUBPROTOCOL } from '../src/sockets/upgrade.ts';
import {
  capitalized,
  describeMessages,
  type Message,
  SUMMARIES_IN,
  SUMMARIES_OUT,
  shapesOfFrames,
} from './asyncapi-messages.ts';
import { readExamples } from './protocol-examples.ts';

const ROOT = new URL('../', import.meta.url);

export function describeSocket(): string {
  const { name, version, license } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
  const examples = readExamples(readFileSync(new URL('docs/protocol.md', ROOT), 'utf8'));
  const { refer, schemas } = shareSchemas({ ...shapesOfFrames(), ...SHAPES });
  const messages = describeMessages(refer, examples);
  const document = {
    asyncapi: '3.0.0',
    info: {
      title: `${name[0].toUpperCase()}${name.slice(1)}: the socket`,
      version,
      description: `The frames of \`${SUBPROTOCOL}\`, from the side of the service: it receives what a client sends. docs/protocol.md says what each means, in which order they come, which words refuse them, and what each close code asks of a client.`,
      license: { name: license },
    },
    defaultContentType: 'application/json',
    servers: {
      public: { host: '{host}', protocol: 'wss', variables: { host: { default: 'chat.example.org' } } },
      local: { host: 'localhost:{port}', protocol: 'ws', variables: { port: { default: '3000' } } },
    },
    channels: { socket: describeChannel(Object.keys(messages)) },
    operations: { ...operationsIn(), ...operationsOut() },
    components: {
      messages: Object.fromEntries(
        Object.entries(messages).map(([key, message]) => [key, describeMessage(key, message)]),
      ),
      schemas: {
        ...Object.fromEntries(
          Object.entries(messages).map(([key, { payload }]) => [payloadName(key), payload]),
        ),
        ...schemas(),
      },
      correlationIds: {
        request: { description: 'A reply has the `id` of its request', location: '$message.payload#/id' },
      },
    },
  };
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}

function describeChannel(messages: readonly string[]): object {
  return {
    address: PATH,
    summary: 'One WebSocket (RFC 6455) for each device',
    messages: Object.fromEntries(messages.map((key) => [key, { $ref: `#/components/messages/${key}` }])),
    bindings: {
      ws: {
        method: 'GET',
        headers: {
          type: 'object',
          properties: {
            'Sec-WebSocket-Protocol': {
              type: 'string',
              description: 'With this one among them, or left out',
              examples: [SUBPROTOCOL],
            },
          },
        },
      },
    },
  };
}

/** One operation for each frame of a client, with its replies. */
function operationsIn(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(SUMMARIES_IN).map(([type, summary]) => [
      `receive${capitalized(type)}`,
      {
        action: 'receive',
        channel: { $ref: '#/channels/socket' },
        summary,
        description: linkTo(type),
        messages: refersTo(type),
        reply: {
          channel: { $ref: '#/channels/socket' },
          messages: refersTo(FRAMES_IN[type as FrameName].reply ? `${type}Reply` : 'reply', 'errorReply'),
        },
      },
    ]),
  );
}

/** One operation for each frame that the service sends by itself. */
function operationsOut(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(SUMMARIES_OUT).map(([type, [summary, section]]) => [
      `send${capitalized(type)}`,
      {
        action: 'send',
        channel: { $ref: '#/channels/socket' },
        summary,
        description: linkTo(section),
        messages:
          type === 'event'
            ? refersTo(...Object.keys(LOG_EVENTS).map((name) => `${name}Event`))
            : refersTo(`${type}Frame`),
      },
    ]),
  );
}

function describeMessage(key: string, { title, summary, examples }: Message): object {
  return {
    name: key,
    title,
    summary,
    ...(key in FRAMES_IN || /reply$/i.test(key)
      ? { correlationId: { $ref: '#/components/correlationIds/request' } }
      : {}),
    payload: { $ref: `#/components/schemas/${payloadName(key)}` },
    ...(examples.length > 0 && { examples: examples.map((payload) => ({ payload })) }),
  };
}

/** The name of the schema of a message, from which generators name its model. */
function payloadName(key: string): string {
  return key in FRAMES_IN ? `${capitalized(key)}Request` : capitalized(key);
}

function refersTo(...keys: string[]): object[] {
  return keys.map((key) => ({ $ref: `#/channels/socket/messages/${key}` }));
}

function linkTo(section: string): string {
  return `docs/protocol.md#${section}`;
}
