import assert from 'node:assert/strict';
import { test } from 'node:test';
import { originOf } from './origin.ts';

test('the origin of an endpoint is that of its URL, the first time and again', () => {
  const endpoints = [
    'https://push.example.net/send/1',
    'https://push.example.net/send/2?x=https://other.example',
    'https://push.example.net:8443/send/1',
    'https://push.example.net:443/send/1',
    'HTTPS://PUSH.example.net/send/1',
    'http://push.example.net#send',
    'https://user:secret@push.example.net/',
    'https://push.example.net\\@other.example/',
    'https://push.exam\tple.net/send',
    'https:///push.example.net/send',
    ' https://push.example.net/send',
    'https://push.example.net',
    'https://push.example.net:port/send',
    'no URL',
    '',
  ];
  for (let time = 0; time < 2; time++)
    for (const endpoint of endpoints)
      assert.equal(originOf(endpoint), URL.parse(endpoint)?.origin ?? '', JSON.stringify(endpoint));
});
